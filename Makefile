# What a developer types. The scripts in .ci do the work; CONTRIBUTING.md says when to use which.

BENCH ?= .
COUNT ?= 1
FUZZTIME ?= 30s

.PHONY: run test check bench benchstat fuzz vulncheck

run: ## serve a sample vault on this machine
	go run ./cmd/notelatch serve --demo

test: ## every test; installs and starts what it needs (RACE= leaves the race detector out)
	@bash .ci/test.sh

check: ## quick, before each commit
	@bash .ci/check.sh

bench: ## all benchmarks: make bench BENCH=Search COUNT=10 > new.txt
	@NOTELATCH_TEST_POSTGRES_FSYNC=on bash .ci/with-postgres.sh go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) -timeout 60m ./...

benchstat: ## compare two outputs of bench: make benchstat OLD=old.txt NEW=new.txt
	@go tool -modfile=.ci/tools.mod benchstat '$(OLD)' '$(NEW)'

fuzz: ## each fuzz target for FUZZTIME
	@bash .ci/fuzz.sh '$(FUZZTIME)'

vulncheck: ## known vulnerabilities in what the program calls
	@go run ./.ci/vulncheck ./...
