# Rackproof: `make up` shows a site being configured in the lab, `make test` proves the code. `make help` lists the rest.

SITE ?= metrum-h200
# Hosts of a group that are machines; 0: switches only; empty: two, or none where this machine cannot have any.
HOSTS ?=
BIN  := .venv/bin

# Quiet by default: each target says what it found, not what it ran. `make VERBOSE=1 <target>` shows the commands.
ifndef VERBOSE
.SILENT:
endif
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
# Where the vendor's installer, and `make pulumi`, put the engine.
export PATH := $(PATH):$(HOME)/.pulumi/bin

comma := ,

# Signs the dossiers of a lab, and nothing else.
REHEARSAL_KEY = build/$(SITE)/rehearsal.key

# Narration in bold where a person watches, plain text elsewhere.
define say
	if [ -t 1 ] && [ -z "$$NO_COLOR" ]; then printf '\033[1m%s\033[0m\n' "$(1)"; else printf '%s\n' "$(1)"; fi
endef

.PHONY: help
help: ## list the targets
	sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

# ------------------------------------------------------------------------------------------------- the two commands

# Where a machine cannot run virtual hosts the lab has switches only, and says what that does not prove.
lab_has_hosts = [ -e build/$(SITE)/lab/id_ed25519 ]

.PHONY: up
up: product ## set up, start the lab of SITE (switches and hosts) and configure it (SITE=metrum-h200)
	$(call say,== inventory/$(SITE)/site.yaml becomes cables$(comma) addresses and configuration)
	$(BIN)/rackproof render $(SITE)
	$(call say,== Lab: switches and hosts of $(SITE))
	$(BIN)/rackproof lab up $(SITE) $(if $(HOSTS),--hosts $(HOSTS))
	if $(lab_has_hosts); then \
	    $(call say,== What is plugged in where is recorded); \
	    $(BIN)/rackproof discover $(SITE); \
	fi
	$(call say,== The site is configured: switches$(comma) then hosts)
	$(BIN)/rackproof up $(SITE) --yes --access build/$(SITE)/lab/access.yaml
	if $(lab_has_hosts); then \
	    $(call say,== RDMA over each rail$(comma) and NFS over RDMA); \
	    $(BIN)/rackproof lab traffic $(SITE); \
	fi
	$(call say,== The site is proven$(comma) as far as a lab can)
	$(BIN)/rackproof validate $(SITE)
	$(call say,== The dossier for the acceptance team)
	[ -e $(REHEARSAL_KEY) ] || $(BIN)/rackproof keygen $(REHEARSAL_KEY)
	$(BIN)/rackproof report $(SITE) --key $(REHEARSAL_KEY)
	$(BIN)/rackproof verify build/$(SITE)/dossier/bundle.zip --key $(REHEARSAL_KEY).pub
	$(call say,== What you have now)
	scripts/summary.sh $(SITE)

.PHONY: test
test: setup lint ## every check of the code but the slow ones, in under five minutes
	$(call say,== Tests)
	$(BIN)/pytest -q -n auto -m "not slow"

.PHONY: down
down: product ## take the lab of SITE away
	$(BIN)/rackproof lab down $(SITE)

# ------------------------------------------------------------------------------------------------------ environment

.PHONY: setup
setup: ## make or refresh the environment of the product and its tests
	scripts/setup.sh develop

.PHONY: product
product:
	scripts/setup.sh product

.PHONY: pulumi
pulumi: ## install the Pulumi engine with its vendor's installer (version and checksum pinned)
	scripts/pulumi.sh

.PHONY: lock
lock: setup ## rewrite the lock files from requirements*.in
	scripts/lock.sh

# ----------------------------------------------------------------------------------------------------------- checks

.PHONY: lint
lint: setup ## formatting, lint, types, YAML, spelling
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

.PHONY: format
format: setup ## put formatting and what lint can mend right
	$(BIN)/ruff format --quiet .
	$(BIN)/ruff check --quiet --fix .

.PHONY: docs
docs: setup ## write the generated reference: site file, command line, roles
	$(BIN)/python docs/generate.py
	$(BIN)/python roles/generate.py

.PHONY: golden
golden: setup ## rewrite the golden files from what the code says now; read the diff, it is the review
	$(BIN)/pytest -q -n auto -m "not slow" --update-golden
	git --no-pager diff --stat -- tests

.PHONY: slow
slow: setup ## the slow tests that a change has to pass
	$(call say,== Slow tests)
	$(BIN)/pytest -q -m "slow and not proof"

.PHONY: proof
proof: setup ## everything that takes its time: all slow tests and the benchmarks
	$(call say,== All slow tests)
	$(BIN)/pytest -q -m slow
	$(MAKE) bench

.PHONY: bench
bench: setup ## measure what the claims about speed rest on
	$(call say,== Benchmarks)
	$(BIN)/python benchmarks/startup.py --json build/benchmarks/startup.json
	$(BIN)/python benchmarks/diff.py --json build/benchmarks/diff.json
	$(BIN)/python benchmarks/scale.py --json build/benchmarks/scale.json
	$(BIN)/python benchmarks/validate.py --json build/benchmarks/validate.json
	$(MAKE) .venv-pyavd/installed
	$(BIN)/python benchmarks/pyavd.py --json build/benchmarks/pyavd.json

.venv-pyavd/installed: benchmarks/requirements-pyavd.txt
	$(call say,== Installing what Rackproof is measured against into .venv-pyavd)
	$(BIN)/python -m venv --clear .venv-pyavd
	.venv-pyavd/bin/pip install --quiet --disable-pip-version-check --no-input --require-hashes -r $<
	touch $@
