#!/usr/bin/env bash
# install.sh: puts the official MCP conformance suite, and the Node 22 that it needs, into node_modules beside this file.
# It does nothing if what the lock file names is there already.
set -euo pipefail
cd "$(dirname "$0")"

want=$(cat package.json package-lock.json | cksum)
if [ -x node_modules/.bin/node ] && [ -e node_modules/.bin/conformance ] && [ "$(cat node_modules/.installed 2>/dev/null)" = "$want" ]; then
	exit 0
fi
command -v npm >/dev/null || {
	echo "install.sh: npm is missing: install Node with npm (apt-get install npm), and run this again" >&2
	exit 2
}
npm ci --no-audit --no-fund --loglevel=error >&2
printf '%s\n' "$want" >node_modules/.installed
