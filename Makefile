# Targets:
#   build      the program, ./remap
#   test       everything a change must pass: formatting, vet, staticcheck, all tests, the
#              simulator's own checks (tag invariants), races
#   test-real  outputs held against the real launchers, where they can be had
#   bench      benchmarks, with quality beside time
#   results    measures the pages of docs/results again: all, hours, or those of
#              PAGES, as make results PAGES="peers speed"
#   api        exported declarations that changed since a commit: make api SINCE=v1.2
#   ablate     what a constant is worth: make ablate FILE=partition/params.go FROM='partRounds = 8' \
#              TO='partRounds = 1' STRATEGY=default (none = optimize)
#   clean      remove what the others made
# Needs Go, git and make; what else is missing is skipped with a line that says so.

GO ?= go
STATICCHECK := .tools/staticcheck
SINCE ?= HEAD~1
# The race detector slows tests ten times and more: only what starts goroutines,
# and not the scripts of the whole program, which take minutes under it.
RACE_TESTS := TestMeter|TestRepeats|TestCancelled|TestNeverWorse|TestInterrupted
RACE_PACKAGES := ./cmd/remap ./evalsim ./feedback

.PHONY: build test format vet staticcheck tools-unit unit invariants race test-real bench results api ablate clean

build:
	$(GO) build -o remap ./cmd/remap

test: format vet staticcheck unit invariants race

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

unit:
	REMAP_LONG=1 $(GO) test -timeout 40m ./...

# Every run of the simulator's tests again, with its checks of credits, queues,
# events, requests and of bytes in and out of every node compiled in.
invariants:
	$(GO) vet -tags invariants ./evalsim
	$(GO) test -timeout 40m -tags invariants ./evalsim

race:
	@if [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v "$$($(GO) env CC)" >/dev/null 2>&1; then \
		echo "$(GO) test -race -run '$(RACE_TESTS)' $(RACE_PACKAGES)"; \
		$(GO) test -timeout 40m -race -run '$(RACE_TESTS)' $(RACE_PACKAGES); \
	else echo "skipped: the race detector needs a C compiler (gcc)"; fi

# Tests named TestReal... run real programs; they skip unless REMAP_REAL is set.
test-real:
	@if ! command -v mpirun >/dev/null 2>&1 && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		echo "installing Open MPI"; \
		{ apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends openmpi-bin; } \
			>/dev/null 2>&1 || echo "apt-get could not install Open MPI"; fi
	@if command -v mpirun >/dev/null 2>&1; then \
		echo "REMAP_REAL=1 $(GO) test -count=1 -run TestReal ./..."; \
		REMAP_REAL=1 $(GO) test -count=1 -timeout 40m -run TestReal ./...; \
	else echo "skipped: no real launcher (mpirun) on this machine"; fi

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# What the pages are, and the commands they are made of: docs/results/pages.toml.
results:
	@$(GO) run -C tools ./results -root .. $(PAGES)

test: tools-unit

tools-unit:
	@if $(GO) list -C tools -deps ./results >/dev/null 2>&1; then $(GO) test -C tools -count=1 ./results; \
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
