# make demo   set up, index the example PDFs, recall, promote        make test   set up, lint, run the tests
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
AIRFLOW := build/airflow-venv
ENGINES := build/engines-packages
DATA   ?= $(H3_BENCH_DATA)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Importing pymupdf loads onnxruntime, which would report to its maker.
export ORT_DISABLE_TELEMETRY := 1

.PHONY: setup demo test test-airflow test-engines lint format schemas bench clean

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@echo "Setting up in $(VENV): about 8 GB of packages, torch first among them; this takes a few minutes once."
	@test -x $(BIN)/python || $(PYTHON) -c 'import shutil, sys; free = shutil.disk_usage(".").free / 1e9; sys.exit(free < 8 and f"Too little room: {free:.1f} GB of 8 are free in this folder, and downloads need 4 more in TMPDIR or here. Free some, or clone to a larger disk.")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install -q -e . --group dev
	@touch $@

demo: setup
	$(BIN)/python examples/demo.py

test: lint
	$(BIN)/python -m pytest

# Airflow pins many packages: it has an environment of its own, and reaches the toolkit by its interpreter.
$(AIRFLOW)/.ready:
	@echo "Setting up Apache Airflow in $(AIRFLOW): about a minute once."
	@$(PYTHON) -m venv $(AIRFLOW)
	$(AIRFLOW)/bin/python -m pip install -q 'apache-airflow>=3.3,<4' 'pytest>=8'
	@touch $@

test-airflow: setup build/types/h3cold $(AIRFLOW)/.ready
	PYTHONPATH=$(CURDIR)/build/types H3_PYTHON=$(CURDIR)/$(BIN)/python $(AIRFLOW)/bin/python -m pytest -q --noconftest \
	    -p no:cacheprovider -o addopts= -o filterwarnings= tests/airflow_dag/check_reindex.py

# vLLM and SGLang pin packages against each other and want a GPU: their modules stand in a folder of their own, without
# what they pin, beside the toolkit's torch.
$(ENGINES)/.ready: tests/engines_real/requirements.txt
	@echo "Setting up vLLM and SGLang in $(ENGINES): about 2 GB, a few minutes once."
	$(BIN)/python -m pip install -q --no-deps --upgrade --target $(ENGINES) -r $<
	@touch $@

test-engines: setup $(ENGINES)/.ready
	PYTHONPATH=$(ENGINES) $(BIN)/python -m pytest -q --noconftest -p no:cacheprovider -o addopts= -o filterwarnings= \
	    tests/engines_real/check_engines.py

# The packages' folders are mapped into one namespace; checkers see that mapping as a tree of links.
build/types/h3cold: Makefile
	@mkdir -p $@ && for p in schemas kg ingest recall h3bridge; do ln -sfn ../../../$$p $@/$$p; done

lint: setup build/types/h3cold
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	MYPYPATH=build/types $(BIN)/mypy -p h3cold
	PYTHONPATH=build/types $(BIN)/lint-imports
	$(BIN)/python tests/file_length.py

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

schemas: setup
	$(BIN)/python -m h3cold.schemas.export schemas/json

# The small model of Chinese names, trained anew: about a minute of processor time; the weights are committed.
chinese-model: setup
	OMP_NUM_THREADS=1 $(BIN)/python -m h3cold.kg.train_chinese

# The short model of questions, trained anew: some hours of one core; the weights are committed. WORK holds the stores
# that `h3-benchmark recall --sets uda_fin,filings --data DATA --work WORK` makes.
SHORT := build/short
SOURCES := libreoffice-help-en-us libreoffice-help-zh-cn gnome-user-docs debian-reference-zh-cn gnucash-common \
    kmymoney-common wordnet-base
short-model: setup
	@test -n "$(DATA)" -a -n "$(WORK)" || { echo "make short-model DATA=/path/to/benchmark/data WORK=/path/to/stores"; exit 2; }
	@mkdir -p $(SHORT)/packages
	cd $(SHORT) && apt-get download $(SOURCES) && for d in *.deb; do dpkg-deb -x $$d packages; done
	OMP_NUM_THREADS=1 $(BIN)/python -m h3cold.ingest.embed.train_short --data "$(DATA)" --work $(SHORT) \
	    --packages $(SHORT)/packages --stores "$(WORK)/uda" "$(WORK)/filings/store"

bench: setup
	@test -n "$(DATA)" || { echo "make bench DATA=/path/to/benchmark/data"; exit 2; }
	$(BIN)/h3-benchmark parse --data "$(DATA)"
	$(BIN)/h3-benchmark recall --data "$(DATA)"
	$(BIN)/h3-benchmark kg --data "$(DATA)"
	$(BIN)/h3-benchmark bridge

clean:
	rm -rf build demo_out .pytest_cache .mypy_cache .ruff_cache .hypothesis
