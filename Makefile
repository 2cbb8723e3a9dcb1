# The two commands of the README are `make demo` and `make test`; `make help` lists the rest.

PROFILE   := ci
CARGO     ?= cargo
STEP      := ./scripts/step
PEER_VENV := target/peer-venv
# Pinned, so that a newer one does not ask for a newer toolchain.
NEXTEST   := 0.9.151
DENY      := 0.20.2
FUZZ      := 0.13.2
WEBSOCAT  := 1.14.1

.PHONY: help demo test fuzz fuzz-corpus bench bench-hardware bench-pictures packages hardware-packages test-packages tools generate

help: ## What there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: packages ## Build, and open the TUI on the embedded agent with simulated devices
	@$(CARGO) build --profile $(PROFILE) --bin agentcall
	@target/$(PROFILE)/agentcall demo

test: test-packages tools $(PEER_VENV)/ready ## Everything that CI runs
	@$(STEP) "format" $(CARGO) fmt --check
	@$(STEP) "clippy, warnings denied" $(CARGO) clippy --profile $(PROFILE) --all-targets -- -D warnings
	@RUSTDOCFLAGS="-D warnings" $(STEP) "docs, warnings denied" $(CARGO) doc --profile $(PROFILE) --no-deps
	@$(STEP) "tests" $(CARGO) nextest run --cargo-profile $(PROFILE) --no-fail-fast
	@$(STEP) "examples in docs" $(CARGO) test --profile $(PROFILE) --doc
	@$(STEP) "drift of generated files" $(CARGO) nextest run --cargo-profile $(PROFILE) --test generated
	@$(STEP) "build without features" $(CARGO) build --profile $(PROFILE) --no-default-features --bin agentcall
	@$(STEP) "licences, bans, sources" $(CARGO) deny --log-level error check bans licenses sources
	@FUZZ_TIMEOUT=5 FUZZ_MB=512 $(STEP) "twenty seconds of fuzzing a target" ./scripts/fuzz 20

fuzz: test-packages tools ## Ten minutes of fuzzing a target; FOR=60 takes a minute, TARGETS="card tag" some of them
	@./scripts/fuzz $(or $(FOR),600) $(TARGETS)

fuzz-corpus: tools ## Put the smallest set of inputs that covers what fuzzing found into the repository
	@./scripts/fuzz-corpus $(TARGETS)

bench: packages bench-pictures ## Measure beside peers, on a quiet machine; writes docs/performance.md and docs/pictures.md
	@command -v websocat >/dev/null || $(STEP) "installing websocat, the peer" $(CARGO) install --locked --version $(WEBSOCAT) websocat
	@CARGO_TARGET_DIR=target/benches $(STEP) "the program, as it is released" $(CARGO) build --release --bin agentcall
	@CARGO_TARGET_DIR=target/benches $(STEP) "the measurements" $(CARGO) build --release --manifest-path benches/Cargo.toml --bins
	@for name in start screen burst; do target/benches/release/$$name --write docs/performance.md || exit 1; done

bench-pictures: packages ## Compare encoders and filters beside ImageMagick; writes docs/pictures.md
	@./scripts/packages "to compare pictures" imagemagick mate-backgrounds fonts-dejavu-core python3-pip nasm
	@$(STEP) "the pictures" ./benches/picture-set target/pictures
	@CARGO_TARGET_DIR=target/benches $(CARGO) run --release --manifest-path benches/Cargo.toml --bin pictures -- target/pictures --write docs/pictures.md

bench-hardware: hardware-packages ## Try cameras and a USB reader on a kernel of their own, in an emulated PC
	@$(STEP) "the program, as the tests use it" $(CARGO) build --profile $(PROFILE) --bin agentcall
	@$(STEP) "cameras and readers in a guest" ./tests/hardware/run --program target/$(PROFILE)/agentcall

generate: ## Write the generated files anew: schemas, keys, rules, configuration, scenarios
	@AGENTCALL_BLESS=1 $(CARGO) test --profile $(PROFILE) --test generated

packages: ## Install the system packages that building needs
	@./scripts/packages "to build (the TLS library compiles C)" gcc libc6-dev
	@./scripts/packages "to build for calls (Opus is built by cmake)" cmake make
	@./scripts/packages "to build for readers, cameras and audio" pkg-config libpcsclite-dev libasound2-dev "libclang1-14|libclang1-16|libclang1-19"

test-packages: packages ## Install the system packages that the tests need
	@./scripts/packages "to fuzz (the library of the fuzzer is C++)" g++
	@./scripts/packages "to test against an agent written in Python" python3 python3-venv
	@./scripts/packages "to test readers on a real PC/SC daemon with virtual tags" pcscd vsmartcard-vpcd util-linux mount
	@./scripts/packages "to test against a sound server" pulseaudio libasound2-plugins util-linux
	@./scripts/packages "to test an agent that speaks" espeak-ng

hardware-packages: packages ## Install the system packages that the guest needs
	@./scripts/packages "to emulate a PC with cameras and readers" qemu-system-x86 busybox-static cpio kmod libelf1
	@./scripts/packages "to look at cameras and pictures there" python3 v4l-utils libjpeg-turbo-progs pcscd libccid

tools: ## Install the Rust tools that the tests need
	@command -v cargo-nextest >/dev/null || $(STEP) "installing cargo-nextest" $(CARGO) install --locked --version $(NEXTEST) --no-default-features --features default-no-update cargo-nextest
	@command -v cargo-deny >/dev/null || $(STEP) "installing cargo-deny" $(CARGO) install --locked --version $(DENY) cargo-deny
	@command -v cargo-fuzz >/dev/null || $(STEP) "installing cargo-fuzz" $(CARGO) install --locked --version $(FUZZ) cargo-fuzz

$(PEER_VENV)/ready: tests/peers/requirements.txt
	@$(STEP) "Python packages for the peer" sh -c 'python3 -m venv $(PEER_VENV) && $(PEER_VENV)/bin/pip install --quiet --disable-pip-version-check -r tests/peers/requirements.txt'
	@touch $@
