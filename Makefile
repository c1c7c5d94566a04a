# Rackproof: `make up` deploys a site in the lab, `make test` checks the code. `make help` lists all targets.

SITE ?= metrum-h200
# Virtual machines for each group of servers; 0: switches only; empty: two, or none where this machine cannot run any.
HOSTS ?=
BIN  := .venv/bin

# Quiet by default: each target prints results, not its commands. `make VERBOSE=1 <target>` shows the commands.
ifndef VERBOSE
.SILENT:
endif
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
# The folder in which the vendor's installer and `make pulumi` install the engine.
export PATH := $(PATH):$(HOME)/.pulumi/bin

comma := ,

# Headings: bold at a terminal, plain text elsewhere.
define say
	if [ -t 1 ] && [ -z "$$NO_COLOR" ]; then printf '\033[1m%s\033[0m\n' "$(1)"; else printf '%s\n' "$(1)"; fi
endef

.PHONY: help
help: ## list the targets
	sed -n -e 's/^##@ /\n/p' -e 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

##@ A site (SITE=metrum-h200)

.PHONY: up
up: ## set up, start the lab of SITE, deploy, validate, and write the dossier
	$(if $(VERBOSE),bash -x) scripts/up.sh $(SITE) $(HOSTS)

.PHONY: down
down: product ## stop the lab of SITE and remove its files
	$(BIN)/rackproof lab down $(SITE)

##@ Environment

.PHONY: setup
setup: ## create or update .venv with everything the tests need
	scripts/setup.sh develop

.PHONY: product
product: ## create or update .venv with what `rackproof` needs
	scripts/setup.sh product

.PHONY: lab-packages
lab-packages: ## that, and the system packages of a lab with virtual machines (as root)
	scripts/setup.sh lab

.PHONY: pulumi
pulumi: ## install the Pulumi engine (version and checksum pinned) and the Python packages of the program
	scripts/pulumi.sh

.PHONY: lock
lock: setup ## update the lock files from requirements*.in
	scripts/lock.sh

##@ Code

.PHONY: test
test: setup lint ## lint, and all tests but the slow ones
	$(call say,== Tests)
	$(BIN)/pytest -q -n auto -m "not slow"

.PHONY: lint
lint: setup ## check formatting, lint, types, YAML, spelling, playbooks
	$(call say,== Formatting and lint)
	$(BIN)/ruff format --check --quiet --diff .
	$(BIN)/ruff check --quiet .
	$(call say,== Types)
	$(BIN)/mypy --no-error-summary
	$(call say,== YAML and spelling)
	$(BIN)/yamllint --strict .
	$(BIN)/codespell
	$(call say,== Playbooks and roles)
	$(BIN)/ansible-lint --offline -q

.PHONY: sbom
sbom: product ## write the software bill of materials (CycloneDX) from the lock files
	$(BIN)/python scripts/sbom.py build/sbom.cdx.json

.PHONY: advisories
advisories: product ## compare the lock files with published security advisories (osv.dev)
	$(BIN)/python scripts/advisories.py

.PHONY: format
format: setup ## format the code and apply the fixes of lint
	$(BIN)/ruff format --quiet .
	$(BIN)/ruff check --quiet --fix .

.PHONY: docs
docs: setup ## write the generated reference pages
	$(BIN)/python docs/generate.py
	$(BIN)/python roles/generate.py

.PHONY: golden
golden: setup ## update the golden files; then review their diff
	$(BIN)/pytest -q -n auto -m "not slow" --update-golden
	git --no-pager diff --stat -- tests

.PHONY: slow
slow: setup ## run the slow tests that a change must pass
	$(call say,== Slow tests)
	$(BIN)/pytest -q -m "slow and not proof"

.PHONY: proof
proof: setup ## run all slow tests and the benchmarks
	$(call say,== All slow tests)
	$(BIN)/pytest -q -m slow
	$(MAKE) bench

BENCHMARKS = startup diff scale validate pyavd
# SMALLEST=1: the smallest size of each, to show that it runs; limits are not judged.
bench_options = $(if $(SMALLEST),--smallest --json build/benchmarks/smallest,--json build/benchmarks)

.PHONY: bench
bench: setup .venv-pyavd/installed ## run the benchmarks behind the published figures; SMALLEST=1 takes a minute
	$(call say,== Benchmarks)
	for name in $(BENCHMARKS); do $(BIN)/python benchmarks/$$name.py $(bench_options)/$$name.json || exit; done

.venv-pyavd/installed: benchmarks/requirements-pyavd.txt
	$(call say,== Installing PyAVD$(comma) the peer of the benchmark$(comma) into .venv-pyavd)
	$(BIN)/python -m venv --clear .venv-pyavd
	.venv-pyavd/bin/pip install --quiet --disable-pip-version-check --no-input --require-hashes -r $<
	touch $@
