#!/usr/bin/env bash
# npm.sh FOLDER…: puts what the lock file of each folder beside this one names into its node_modules, and does nothing where it is there
# already. Several may run at once: tests of different packages call it.
set -euo pipefail
cd "$(dirname "$0")"

command -v npm >/dev/null || {
	echo "npm.sh: npm is missing: install Node with npm (apt-get install npm), and run this again" >&2
	exit 2
}
for folder in "$@"; do
	(
		cd "$folder"
		if command -v flock >/dev/null; then
			exec 9<package.json
			flock 9
		fi
		want=$(cat package.json package-lock.json | cksum)
		if [ "$(cat node_modules/.installed 2>/dev/null)" = "$want" ]; then
			exit 0
		fi
		npm ci --no-audit --no-fund --loglevel=error >&2
		printf '%s\n' "$want" >node_modules/.installed
	)
done
