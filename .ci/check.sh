#!/usr/bin/env bash
# check.sh [lint]: what must hold before each commit, in a minute or two. "lint" leaves the tests out.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '.ci: %s\n' "$*" >&2; }

say "gofmt"
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
	printf '%s\n' "$unformatted"
	say "gofmt would change these: run gofmt -w on them"
	exit 1
fi
say "scripts"
for script in .ci/run .ci/*.sh; do
	bash -n "$script"
done
if command -v shellcheck >/dev/null; then
	shellcheck .ci/run .ci/*.sh
fi
say "go vet"
go vet ./... ./.ci/vulncheck
say "staticcheck"
go tool -modfile=.ci/tools.mod staticcheck ./... ./.ci/vulncheck
if [ "${1:-}" = lint ]; then
	exit 0
fi
say "layout"
go test -vet=off -short -count=1 -run '^TestLayout' ./cmd/notelatch
say "go test -short ./..."
.ci/with-postgres.sh go test -vet=off -short ./... ./.ci/vulncheck
