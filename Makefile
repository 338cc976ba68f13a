# `make help` lists the targets.
CARGO ?= cargo
DEMO_OUTPUT ?= demo-output
BENCH_ARGUMENTS ?= --help

.DEFAULT_GOAL := help
.PHONY: help demo test test-all format lint docs server-build unit-tests all-unit-tests fuzz bench

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: ## Apply a contrast table to an encrypted picture; writes demo-output/before-after.png
	$(CARGO) run --release -p cryptable-cli --bin cryptable -- demo --output $(DEMO_OUTPUT)

test: format lint docs server-build unit-tests ## Run the checks: formatting, lints, documentation, builds, tests; about ten minutes on two cores from scratch

test-all: format lint docs server-build all-unit-tests ## Run the checks and the slow tests: a minute more than make test, five more without AVX-512 IFMA

format: ## Check the formatting
	$(CARGO) fmt --all --check

lint: ## Check with clippy; warnings are errors
	$(CARGO) clippy --workspace --all-targets -- -D warnings

docs: ## Build the documentation; warnings are errors
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

server-build: ## Check library and program without the `client` feature: what a server builds
	$(CARGO) clippy -p cryptable --no-default-features -- -D warnings
	$(CARGO) clippy -p cryptable-cli --no-default-features -- -D warnings

# Predictions of tests come of the built-in cost model; no test touches the user's cache directory.
unit-tests all-unit-tests: export CRYPTABLE_CALIBRATION = off
unit-tests: ## Run the tests
	$(CARGO) test --workspace --profile checks

all-unit-tests: ## Run the tests, also those that `make test` leaves out as slow
	$(CARGO) test --workspace --profile checks -- --include-ignored

FUZZ_RUNS ?= 1000000
FUZZ_SECONDS ?= 600
FUZZ_FOLDER ?= target/fuzz

# Readers of the library, and of the command line, one after the other; what they find lies in $(FUZZ_FOLDER)/NAME/crashes.
fuzz: ## Fuzz every reader, guided by coverage: FUZZ_RUNS inputs or FUZZ_SECONDS each
	$(CARGO) run --profile checks -p cryptable-fuzz --example seeds -- $(FUZZ_FOLDER)
	FUZZ_RUNS=$(FUZZ_RUNS) FUZZ_SECONDS=$(FUZZ_SECONDS) crates/fuzz/run.sh $(FUZZ_FOLDER)

bench: ## Run a benchmark: make bench BENCH_ARGUMENTS="..."
	$(CARGO) run --release -p cryptable-cli --bin cryptable -- bench $(BENCH_ARGUMENTS)
