# Targets:
#   build      the program, ./remap
#   test       everything a change must pass, in five minutes: formatting, vet, staticcheck, the
#              tests of the long tier, the simulator's own checks (tag invariants), races
#   experiments  the tests again with all their cases, and sweeps of minutes
#   test-real  outputs held against the real launchers, where they can be had
#   demo       the whole round on a real network of namespaces, in a few minutes (root, Linux)
#   bench      benchmarks, with quality beside time
#   results    measures the pages of docs/results again: all, hours, or those of
#              PAGES, as make results PAGES="peers speed"
#   figures    draws the pictures of networks in docs/figures again
#   api        exported declarations that changed since a commit: make api SINCE=v1.2
#   ablate     what a constant is worth: make ablate FILE=partition/params.go FROM='partRounds = 8' \
#              TO='partRounds = 1' STRATEGY=default (none = optimize)
#   clean      remove what the others made
# Needs Go, git and make; what else is missing is skipped with a line that says so.
# The quick tier is go test ./... (a minute; internal/testkit/tier has the tiers). Tests that
# were skipped are named at the end, with what would run them.

GO ?= go
STATICCHECK := .tools/staticcheck
GOTESTSUM := .tools/gotestsum
# Nothing but this limit, of a whole package, ends a test: a busy machine is slow.
TIMEOUT := -timeout 60m
SINCE ?= HEAD~1
# The race detector slows tests ten times and more: only what starts goroutines,
# and not the scripts of the whole program, which take minutes under it.
RACE_TESTS := TestMeter|TestRepeats|TestCancelled|TestNeverWorse|TestInterrupted|TestAhead
RACE_PACKAGES := ./cmd/remap ./evalsim ./feedback

.PHONY: build test format vet staticcheck gotestsum tools-unit unit invariants race experiments test-real demo \
	bench results figures api ablate clean

build:
	$(GO) build -o remap ./cmd/remap

test: format vet staticcheck tools-unit race invariants unit

format:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then \
		echo "not gofmt-ed:"; echo "$$unformatted"; exit 1; fi

vet:
	$(GO) vet ./...

# staticcheck lives in a module of its own (tools/), so that the program's
# module stays free of it; without a network it is skipped.
staticcheck:
	@if $(GO) build -C tools -o ../$(STATICCHECK) honnef.co/go/tools/cmd/staticcheck; then \
		echo "$(STATICCHECK) ./..."; $(STATICCHECK) ./...; \
	else echo "skipped: staticcheck could not be fetched"; fi

# gotestsum names the skipped tests after a run. It is fetched as staticcheck is; without it
# plain go test runs them, and names nothing.
gotestsum:
	@$(GO) build -C tools -o ../$(GOTESTSUM) gotest.tools/gotestsum || { \
		rm -f $(GOTESTSUM); echo "skipped: gotestsum could not be fetched: skipped tests are not named"; }

# $(call tests,ENVIRONMENT,ARGUMENTS) runs tests in an environment.
define tests
	@if [ -x $(GOTESTSUM) ]; then \
		echo "$(1) $(GO) test $(TIMEOUT) $(2)"; \
		$(1) $(GOTESTSUM) --format pkgname -- $(TIMEOUT) $(2); \
	else \
		echo "$(1) $(GO) test $(TIMEOUT) $(2)"; $(1) $(GO) test $(TIMEOUT) $(2); \
	fi
endef

unit: gotestsum
	$(call tests,REMAP_LONG=1,./...)

experiments: gotestsum
	$(call tests,REMAP_EXPERIMENTS=1,./...)

# The simulator's tests again, with its checks of credits, queues, events, requests and of
# bytes in and out of every node compiled in: the quick tier, with as many random cases as
# the long one has.
invariants:
	$(GO) vet -tags invariants ./evalsim
	$(GO) test $(TIMEOUT) -tags invariants ./evalsim -rapid.checks 100

race:
	@if [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v "$$($(GO) env CC)" >/dev/null 2>&1; then \
		echo "$(GO) test -race -run '$(RACE_TESTS)' $(RACE_PACKAGES)"; \
		$(GO) test $(TIMEOUT) -race -run '$(RACE_TESTS)' $(RACE_PACKAGES); \
	else echo "skipped: the race detector needs a C compiler (gcc)"; fi

# Tests named TestReal... run real programs; they skip unless REMAP_REAL is set, and say why where
# a program is missing. tools/real/install installs what it can of them.
test-real: gotestsum
	@tools/real/install
	$(call tests,REMAP_REAL=1,-count=1 -run TestReal ./...)

demo:
	@contrib/demo/demo.sh

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# What the pages are, and the commands they are made of: docs/results/pages.toml.
results:
	@$(GO) run -C tools ./results -root .. $(PAGES)

# Pictures of networks in docs/figures; those of tests are drawn by results.
PLOT = ./remap plot --quiet --force --repeats 1
figures: build
	$(PLOT) --scenario tapered-stencil --before identity --strategy tiling --output docs/figures/tapered.png
	$(PLOT) --scenario reduction-naive --strategy identity --steps 1 --slices 5 --crop job \
		--output docs/figures/reduction.png
	$(PLOT) --scenario popcount --strategy identity --steps 1 --view both --crop leaf0-leaf5 \
		--output docs/figures/background.png
	$(PLOT) --topology torus:8x8 --pattern stencil2d:8x8 --before random --strategy tiling \
		--output docs/figures/torus.png
	$(PLOT) --scenario nas-cg-small --strategy identity --view both --output docs/figures/dragonfly.png

tools-unit:
	@if $(GO) list -C tools -deps ./results >/dev/null 2>&1; then $(GO) test -C tools -count=1 ./results ./ablate; \
	else echo "skipped: what tools/results needs could not be fetched"; fi

# apidiff lives in tools/ as staticcheck does. What it lists is what the changelog must say.
api:
	@rm -rf .tools/since && mkdir -p .tools/since
	@$(GO) build -C tools -o ../.tools/apidiff golang.org/x/exp/cmd/apidiff
	@git archive $(SINCE) | tar x -C .tools/since
	@cd .tools/since && ../apidiff -m -w ../since.api remap 2>/dev/null
	@.tools/apidiff -m .tools/since.api remap 2>/dev/null

# What a constant is worth: quality and processor time with one text of a file replaced.
ablate:
	@$(GO) build -C tools -o ../.tools/ablate ./ablate
	@.tools/ablate -file '$(FILE)' -from '$(FROM)' -to '$(TO)' -strategy '$(STRATEGY)' -seeds $(or $(SEEDS),3)

clean:
	rm -rf remap .tools
