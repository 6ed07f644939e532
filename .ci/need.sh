#!/usr/bin/env bash
# need.sh COMMAND PACKAGE…: installs Debian or Ubuntu packages where COMMAND is not there, and says so.
set -euo pipefail

say() { printf '.ci: %s\n' "$*" >&2; }

command=$1
shift
if command -v "$command" >/dev/null; then
	exit 0
fi
if ! command -v apt-get >/dev/null; then
	say "$command is missing, and there is no apt-get to install $* with: install it and run this again"
	exit 2
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if ! sudo -n true 2>/dev/null; then
		say "$command is missing: run 'sudo apt-get install $*' and then this again"
		exit 2
	fi
	as_root=(sudo -n)
fi
say "$command is missing: installing $*"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update &&
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; } >"$log" 2>&1 </dev/null; then
	tail -n 30 "$log" >&2
	say "could not install $*"
	exit 2
fi
