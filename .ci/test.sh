#!/usr/bin/env bash
# test.sh: every test, on a Debian or Ubuntu machine that has Go. It installs and starts what the tests need, says so, and
# ends with the lines of go test. RACE= leaves the race detector out; GOTESTFLAGS adds flags.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '.ci: %s\n' "$*" >&2; }

command -v go >/dev/null || {
	say "Go is missing: install Go 1.26 or later"
	exit 2
}
race=${RACE--race}
flags=(-vet=off -timeout=30m)
if [ -n "$race" ]; then
	.ci/need.sh gcc gcc libc6-dev
	export CGO_ENABLED=1
	flags+=("$race")
fi
if [ -n "${GOTESTFLAGS:-}" ]; then
	read -ra more <<<"$GOTESTFLAGS"
	flags+=("${more[@]}")
fi
.ci/need.sh node nodejs
.ci/need.sh npm npm
.ci/need.sh curl curl
say "installing the Node packages of .ci/conformance, .ci/clients and .ci/agents"
bash .ci/npm.sh conformance clients agents </dev/null

say "go vet"
go vet ./... ./.ci/vulncheck
say "layout"
go test -vet=off -count=1 -run '^TestLayout' ./cmd/notelatch
say "go test ${flags[*]} ./..."
.ci/with-postgres.sh go test "${flags[@]}" ./... ./.ci/vulncheck
