# Kehai. `make run` and `make test` install what they need and say so; everything
# else is for those who work on it. `make help` lists the targets.

SHELL := /bin/bash
.DEFAULT_GOAL := help

BIN        := bin
GO         ?= go
GOLANGCI    = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# What a run needs: OCR with Japanese, and a font that has Japanese.
# macOS has both.
RUN_DEBS   = tesseract-ocr tesseract-ocr-jpn fonts-ipaexfont-gothic
TEST_BREWS = tesseract tesseract-lang
# What the tests need on top: a C compiler for the race detector and robotgo, and
# a desktop with a real browser, and a server for a chat client in it.
TEST_DEBS  = $(RUN_DEBS) gcc libc6-dev libx11-dev libxtst-dev \
             xvfb openbox dbus at-spi2-core chromium fonts-noto-cjk fonts-noto-color-emoji prosody xdotool

# ensure PACKAGES…: installs the Debian packages (or Homebrew's) that are missing.
define ensure
	@.ci/ensure $(if $(filter Darwin,$(shell uname -s)),brew $(2),apt $(1))
endef

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-18s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup-run setup-ocr setup-test
setup-run:
	$(call ensure,$(RUN_DEBS),)
setup-ocr:
	$(call ensure,$(RUN_DEBS),$(TEST_BREWS))
setup-test:
	$(call ensure,$(TEST_DEBS),$(TEST_BREWS))

.PHONY: build
build: ## build bin/kehai, with robotgo where cgo can build it (CGO=0 without)
	@mkdir -p $(BIN)
	CGO_ENABLED=$${CGO:-$$(GO=$(GO) .ci/cgo)} \
		$(GO) build -tags robotgo -trimpath -buildvcs=auto -o $(BIN)/kehai ./cmd/kehai

.PHONY: app
app: ## build bin/Kehai.app for a Mac, where it is signed too (SIGN="an identity of the keychain")
	@SIGN='$(or $(SIGN),-)' GO=$(GO) .ci/app $(BIN)

.PHONY: run
run: setup-run build ## read a drawn chat window and show each message once (ARGS="--for 30s")
	@$(BIN)/kehai run $(ARGS)

# What mostly waits. A Mac has no X server, and a browser only if it was installed.
WAITING = crash-ci cluster-ci browser desktop-ci real-ci
ifeq ($(shell uname -s),Darwin)
WAITING = crash-ci cluster-ci $(if $(wildcard /Applications/Google*Chrome.app),browser)
endif
.PHONY: test
test: setup-test vet cross race bench-ci ## everything CI checks but the linter; on a Mac, what can run there
	@$(MAKE) --no-print-directory -j 3 full $(WAITING)

# Every build tag of ours, so that vet and lint see all files.
TAGS = browser,camera,crash,desktop,live,long,look,memory,mutants,real,recall,robotgo,speed

.PHONY: vet
vet: ## go vet, formatting, tidy modules, whether the mutants still apply
	@bad=$$(gofmt -l actors cmd hardware messages runtime testkit); if [ -n "$$bad" ]; then \
		echo "not formatted (run gofmt -w):"; echo "$$bad"; exit 1; fi
	$(GO) mod tidy -diff
	$(GO) mod verify
	$(GO) vet -tags $(TAGS) ./...
	$(GO) test -tags mutants -run '^TestMutantsApply$$' ./runtime/internal/mutants

.PHONY: lint
lint: ## golangci-lint, with staticcheck and what else .golangci.yml names
	$(GO) run $(GOLANGCI) run --build-tags $(TAGS) ./...

.PHONY: cross
cross: ## vet for macOS without cgo; link kehai there and for Linux on ARM
# Both processors of a system build the same files of ours: vet one of them.
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) vet -tags live ./...
	@for target in darwin/arm64 darwin/amd64 linux/arm64; do \
		echo "link $$target"; \
		CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) build -o /dev/null ./cmd/kehai || exit 1; \
	done

.PHONY: race full
# The detector makes code ten times as slow. What only computes on one goroutine
# does less of the same in a short run, and all of it in full.
SHORTENED = $$(grep -rlE 'testing\.Short\(\)|rapid\.Check|chatpage\.Everywhere|storetest\.Run' \
	--include='*_test.go' . | xargs -n1 dirname | sort -u)
# What only computes is not instrumented: three quarters of the detector's time went
# there. Ours among it starts no goroutine and holds no lock (a guard sees to that); how
# the others guard their own state is for their tests. Reads and writes of memory that
# others share are not seen inside it, so what hands memory over (bytes, strings,
# encoding/json) is instrumented.
COMPUTES = image/... compress/... hash/... regexp/... unicode/... strconv \
	golang.org/x/image/... golang.org/x/text/... github.com/cespare/xxhash/... github.com/klauspost/compress/... \
	$(addprefix github.com/kehai-run/kehai/actors/,dedup/ledger ocr/emojifont ocr/segment text/...)
# A program with the detector waits a second at its end for reports of other
# goroutines, and the scripts of cmd/kehai start it 600 times.
race: export GORACE = atexit_sleep_ms=20
race: ## all tests with the race detector, a part of what only computes
	$(GO) test -race $(COMPUTES:%='-gcflags=%=-race=false') -short -timeout 40m \
		-p $$(($$(getconf _NPROCESSORS_ONLN) + 1)) ./...
full: ## without it, all of what only computes
	$(GO) test -timeout 40m $(SHORTENED)

.PHONY: long
long: ## a million conversations at a start, and inboxes and sleep at that size
	$(GO) test -count=1 -timeout 30m -tags long ./runtime/engine/live

.PHONY: crash crash-ci
# TestCrash kills a real kehai, TestCrashAnswers one that answers, TestForeignHost a program
# that uses package runtime alone, TestFullVolume fills the disk of a store (it mounts one: as root or with sudo).
CRASH_TESTS = $(GO) test -count=1 -tags crash -parallel 4 -run '^Test(Crash|CrashAnswers|ForeignHost|FullVolume)$$' \
	./cmd/kehai ./testkit/crash ./runtime/store
crash-ci: ## kill a real kehai 100 times, one that answers 32 times, and a host of the runtime's 100 times
	KEHAI_KILLS=100 $(CRASH_TESTS) -timeout 10m
crash: export KEHAI_ANSWER_KILLS = 400
crash: ## kill each 1,000 times (one that answers 400 times), then as often with every batch synced
	KEHAI_KILLS=1000 $(CRASH_TESTS) -v -timeout 4h
	KEHAI_KILLS=1000 KEHAI_DURABILITY=power $(CRASH_TESTS) -v -timeout 4h

# What pages are checked with for barriers, in bin/.
AXE = $(BIN)/axe/node_modules/axe-core/axe.min.js
$(AXE):
	@command -v npm >/dev/null || .ci/ensure $(if $(filter Darwin,$(shell uname -s)),brew node,apt npm)
	npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix $(BIN)/axe axe-core@4.14.1

.PHONY: browser
browser: $(AXE) ## the pages in a real browser
	$(GO) test -count=1 -timeout 5m -tags browser -run Browser ./runtime/web

# The face tracker of kehai focus camera, and a film for its test: a photograph in the public domain.
TRACKER = $(BIN)/tracker/node_modules/@mediapipe/face_mesh
FACE    = $(BIN)/face/astronaut.png
.PHONY: tracker camera
tracker: $(TRACKER)/face_mesh.js ## fetch the face tracker that kehai focus camera runs in the browser
$(TRACKER)/face_mesh.js:
	@command -v npm >/dev/null || .ci/ensure $(if $(filter Darwin,$(shell uname -s)),brew node,apt npm)
	npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix $(BIN)/tracker \
		@mediapipe/face_mesh@0.4.1657299874
$(FACE):
	mkdir -p $(@D)
	cd $(@D) && apt-get download python3-skimage && dpkg-deb --fsys-tarfile python3-skimage_*.deb | \
		tar -x --strip-components=7 ./usr/lib/python3/dist-packages/skimage/data/astronaut.png && \
		rm python3-skimage_*.deb
camera: tracker $(FACE) ## the camera page in a real browser, with a film in place of a camera
	KEHAI_TRACKER=$(abspath $(TRACKER)) KEHAI_FACE=$(abspath $(FACE)) \
		$(GO) test -count=1 -timeout 8m -tags browser,camera -run Camera ./runtime/web

.PHONY: desktop desktop-ci
# -p 1: each package has an X server, and some of them a browser, of its own.
DESKTOP_TESTS = $(GO) test -count=1 -timeout 8m -tags desktop,robotgo -p 1
desktop-ci: setup-test ## the drivers on a real X server, and Kehai watching a real browser
	$(DESKTOP_TESTS) ./hardware/hardwaretest/desktop ./hardware/x11 ./hardware/atspi ./hardware/freedesktop
	$(DESKTOP_TESTS) -run Desktop ./cmd/kehai
desktop: desktop-ci ## the same, and the driver that types with robotgo
	$(DESKTOP_TESTS) ./hardware/robot

.PHONY: crash-desktop
crash-desktop: export KEHAI_ANSWER_KILLS = 42
crash-desktop: setup-test ## kill a kehai that answers in a real browser 42 times, beside each of its steps
	$(GO) test -count=1 -v -timeout 30m -tags desktop -run '^TestDesktopAnswers$$' ./cmd/kehai

# Chat applications of others, as Debian and npm have them, and what a test of them needs.
REAL_DEBS = $(TEST_DEBS) chatty kaidan dino-im libqt5sql5-sqlite bubblewrap sqlite3
CONVERSE = $(BIN)/converse/node_modules/converse.js/dist
$(CONVERSE):
	@command -v npm >/dev/null || .ci/ensure apt npm
	npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix $(BIN)/converse converse.js@14.0.0

.PHONY: real real-ci
real real-ci: export KEHAI = $(abspath $(BIN))/kehai
real real-ci: export KEHAI_CONVERSE = $(abspath $(CONVERSE))
real: export KEHAI_CLIENTS = $(CLIENTS)
real-ci: export KEHAI_CLIENTS = converse
real-ci: export KEHAI_PHASES = talk,own replies,covered,switched,killed
real-ci: setup-test build $(CONVERSE) ## Kehai before converse.js in a browser: nothing missed, doubled or invented
	$(GO) test -count=1 -timeout 8m -tags real -run '^TestReal$$' ./testkit/real
ifdef RECORD
real: export KEHAI_RECORD = $(RECORD)
real: export KEHAI_FLIGHTS = $(abspath $(BIN))/flights
real: build $(CONVERSE) ## what is missed of real chat applications (CLIENTS=dino), or RECORD=1h of each, replayed
	$(call ensure,$(REAL_DEBS),)
	$(GO) test -count=1 -v -timeout 12h -tags real -run '^TestRecorded$$' ./testkit/real
else ifdef ASLEEP
real: build $(CONVERSE) ## or with ASLEEP=1 what is read of 200 messages that came while the machine slept
	$(call ensure,$(REAL_DEBS),)
	$(GO) test -count=1 -v -timeout 2h -tags real -run '^TestCatchesUp$$' ./testkit/real
else
real: build $(CONVERSE)
	$(call ensure,$(REAL_DEBS),)
	@set -o pipefail; { printf '%s\t' client shown delivered missed doubled invented own 'wrong chat' misnamed order \
			edited unsent exact near; echo garbled; \
		$(GO) test -count=1 -v -timeout 2h -tags real -run '^TestReal$$' ./testkit/real | tee $(BIN)/real.log | \
			awk -F'\t' 'sub(/^ *real\t/, "")'; } \
		| column -t -s "$$(printf '\t')"
endif

.PHONY: simulate
simulate: ## 1,000,000 seeded schedules of the kernel
	KEHAI_SCHEDULES=1000000 $(GO) test -count=1 -timeout 4h -run 'TestSimulation$$' ./runtime/engine

.PHONY: cluster cluster-ci simulate-cluster bench-cluster
CLUSTER_TESTS = $(GO) test -count=1 -tags crash -run '^TestClusterFaults$$' ./cmd/kehai
cluster: export KEHAI_FAULTS ?= 200
cluster: ## kill, cut off, slow down and replace members of a real cluster (KEHAI_FAULTS=200) while clients talk to it
	$(CLUSTER_TESTS) -v -timeout 4h
cluster-ci: ## each of these faults once: a minute
	$(CLUSTER_TESTS) -timeout 10m
simulate-cluster: ## 100,000 seeded schedules of three nodes that die, sleep and are cut off; a sending at each step
	KEHAI_SCHEDULES=100000 $(GO) test -count=1 -timeout 4h -run 'TestSimulatedCluster$$' ./runtime/engine
	KEHAI_STRIDE=1 $(GO) test -count=1 -timeout 4h -run 'TestSendingInASimulatedCluster$$' ./runtime
bench-cluster: ## replicated turns beside those of a node alone and beside embedded etcd, and 50 deaths of a leader
	@mkdir -p $(BIN)
	$(GO) test -run '^$$' -bench Turns -benchtime 1x ./runtime/cluster/journal > $(BIN)/turns.txt
	@cat $(BIN)/turns.txt
	cd testkit/peers && KEHAI_TURNS=$(abspath $(BIN)/turns.txt) \
		$(GO) test -run '^$$' -bench Etcd -benchtime 1x ./replicated
	$(GO) test -run '^$$' -bench Failover -benchtime 50x -timeout 30m ./runtime/cluster/journal

.PHONY: mutants
mutants: ## change the kernel for the worse in many ways, and see which test notices (MUTANT=pattern)
	KEHAI_MUTANT='$(MUTANT)' $(GO) test -count=1 -timeout 3h -tags mutants -v ./runtime/internal/mutants

.PHONY: bench
bench: setup-ocr detection ## the tables of figures: detection against its aims, kernel, store, OCR, ledger
	$(GO) test -run '^$$' -bench Turns ./runtime/engine/live
	$(GO) test -run '^$$' -bench Memory -benchtime 1x ./cmd/kehai
	$(GO) test -run '^$$' -bench StreamsFirstToken -benchtime 50x ./runtime
	$(GO) test -run '^$$' -bench 'Streams$$' -benchtime 1x ./runtime
	$(GO) test -run '^$$' -bench SealedMessages -benchtime 9x ./runtime
	$(GO) test -run '^$$' -bench . -benchtime 300ms ./runtime/store ./actors/... ./hardware/...

# Ratios are taken in one run and by turns; see testkit/speed.
SPEED_TESTS = $(GO) test -count=1 -timeout 5m -p 1 -tags speed -run '^TestSpeed' \
	$$(grep -rl '^//go:build speed' --include='*_test.go' . | xargs -n1 dirname | sort -u)

.PHONY: detection bench-ci
detection:
	@echo "detection"
	@set -o pipefail; { printf 'what\tours\tagainst\tratio\taim\treached\n'; \
		$(SPEED_TESTS) -v | awk -F'\t' 'sub(/^ *speed\t/, "")'; } | column -t -s "$$(printf '\t')"
bench-ci: ## fail where a ratio of the table is not even half of its aim
	$(SPEED_TESTS)

.PHONY: bench-detect
bench-detect: setup-ocr build ## what is missed or doubled of 2,000 generated messages: profiles, perfect/noisy/real OCR
	@$(BIN)/kehai replay --corpus $(ARGS)

.PHONY: bench-pii
bench-pii: ## precision and recall of masking by kind (exact spans, then overlapping ones), and its speed
	@set -o pipefail; { printf 'corpus\tkind\tlabels\tprecision\trecall\tF1\tprecision~\trecall~\tF1~\n'; \
		$(GO) test -count=1 -run '^TestScores$$' -v ./actors/pii | awk -F'\t' 'sub(/^ *pii\t/, "")'; } \
		| column -t -s "$$(printf '\t')"
	$(GO) test -run '^$$' -bench Mask -benchtime 2s ./actors/pii

.PHONY: bench-recall
bench-recall: ## recall@5/10/12/20/60 of generated histories and of talks, and what each signal is worth
	@$(GO) test -count=1 -tags recall -run '^Test(Signals|Seeds)$$' -v ./testkit/replay/recall | \
		grep -v '^[=-]\|^PASS\|^ok'
	@$(GO) test -count=1 -tags memory -run '^TestTalksInAMemory$$' -v ./runtime | grep -v '^[=-]\|^PASS\|^ok'

.PHONY: bench-memory
EVENTS ?= 100000
bench-memory: ## a whole memory, and its indexes beside bleve, SQLite FTS5, sqlite-vec and chromem (EVENTS=1000000)
	@KEHAI_EVENTS=$(EVENTS) $(GO) test -count=1 -tags memory -timeout 2h -run '^TestMemoryAtScale$$' -v ./runtime \
		| grep -v '^[=-]\|^PASS\|^ok'
	@cd testkit/peers && CGO_ENABLED=1 KEHAI_EVENTS=$(EVENTS) \
		$(GO) test -count=1 -tags sqlite_fts5 -timeout 1h -run '^Test' -v . \
		| grep -v '^[=-]\|^PASS\|^ok'

FUZZTIME ?= 30s
.PHONY: fuzz
fuzz: ## each fuzz target for FUZZTIME (30s)
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg 2>/dev/null | grep ^Fuzz); do \
			echo "fuzz $$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

.PHONY: golden
golden: ## rewrite golden files; review the diff as code
	$(GO) test $$(grep -rl 'flag.Bool("update"' --include='*_test.go' . | xargs -n1 dirname | sort -u) \
		-run Golden -update

.PHONY: release notice
release: ## dist/: reproducible archives of the commit for four platforms, what is in them, checksums
	$(GO) run ./runtime/internal/release
notice: ## write .github/NOTICE anew, after a dependency came or went
	$(GO) run ./runtime/internal/release -notice

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BIN) dist
