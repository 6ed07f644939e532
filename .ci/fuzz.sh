#!/usr/bin/env bash
# fuzz.sh [TIME]: runs each fuzz target of the module for TIME, by default 30s. The first that fails ends it.
set -euo pipefail
cd "$(dirname "$0")/.."

time=${1:-30s}
count=0
while read -r package; do
	targets=$(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true)
	for target in $targets; do
		printf '.ci: %s %s for %s\n' "$package" "$target" "$time" >&2
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package" </dev/null
		count=$((count + 1))
	done
done < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | grep .)
printf '.ci: fuzzed %d targets\n' "$count" >&2
