# Two commands set everything up: `make demo` and `make test`. `make help` lists the rest.
#
# Every step uses the `ci` profile and one target directory, so that dependencies are compiled once. Nothing
# sets RUSTFLAGS, which would compile them again.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo test generate needs-demo needs-test format clippy docs no-default-features generated tests deny

PROFILE := --profile ci --locked
STEP := scripts/step

help: ## what there is to make
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 22

demo: needs-demo ## install what is missing, build, and open the terminal on the embedded agent
	cargo run $(PROFILE) --bin agentcall -- demo

test: needs-test ## install what the tests need and run every check
	@$(STEP) "format" $(MAKE) -s format
	@$(STEP) "licences, bans, sources" $(MAKE) -s deny
	@$(STEP) "clippy" $(MAKE) -s clippy
	@$(STEP) "docs" $(MAKE) -s docs
	@$(STEP) "generated files" $(MAKE) -s generated
	@$(STEP) "tests" $(MAKE) -s tests
	@$(STEP) "build without default features" $(MAKE) -s no-default-features

generate: ## write the files that are made from the code anew
	AGENTCALL_BLESS=1 cargo test $(PROFILE) --test generated

format: ## the code is formatted
	cargo fmt --all --check

clippy: ## no warning of clippy
	cargo clippy $(PROFILE) --all-targets -- -D warnings

docs: ## the documentation builds without a warning
	RUSTDOCFLAGS="-D warnings" cargo doc $(PROFILE) --no-deps

generated: ## what is made from the code has not drifted from it
	cargo test $(PROFILE) --test generated

tests: ## all tests
	cargo test $(PROFILE)

no-default-features: ## it builds with the Rust toolchain and no feature
	cargo build $(PROFILE) --no-default-features --lib --bins

deny: ## licences, bans and sources of the dependencies
	cargo deny --locked --log-level error check bans licenses sources

needs-demo:
	@scripts/need rust c-compiler

needs-test:
	@$(STEP) "what the tests need" scripts/need rust c-compiler python cargo-deny peer-venv
