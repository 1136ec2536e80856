# The tests and checks: how their programs are built, and the targets that run them. Included by the
# Makefile; tests/README.md says what is in each folder.

CLANG ?= clang
FUZZ_SECONDS ?= 30
SOAK_MINUTES ?= 10
COUNT ?= 200
SEED ?= 1

# --- Flags and files ---------------------------------------------------------------------------

# Counts of all branches, in a file a program that is mapped when a process starts, before it gives
# up the right to write any: none is lost when it is killed. COVERAGE is the folder of the files.
ifneq ($(COVERAGE),)
COUNTING_LD := -fprofile-instr-generate=$(COVERAGE)/%m%c.profraw
# Static functions have their file's name in theirs, of which clang by itself takes the last part only.
COUNTING = $(COUNTING_LD) -fcoverage-mapping -mllvm -runtime-counter-relocation -Xclang -main-file-name -Xclang $<
endif

TEST_LIBS = $(shell $(PKG_CONFIG) --libs $(LATE_PKGS) check zlib 2>/dev/null)
# Most test programs run for less time than they take to compile.
TEST_CFLAGS := -O1 -g1 -fPIE -I. -Itests/unit
# There are many of them, and GNU gold, which Debian's gcc brings along, links in a quarter of the time.
TEST_LDFLAGS := $(if $(COVERAGE)$(SANITIZE),,$(if $(wildcard $(shell $(CC) -print-prog-name=ld.gold 2>/dev/null)),-fuse-ld=gold))

UNIT_SRC := $(filter-out $(LEFT_OUT),$(wildcard tests/unit/*/test_*.c))
UNIT_HELP_SRC := $(wildcard tests/unit/*.c)
FUZZ_SRC := $(filter-out $(LEFT_OUT),$(wildcard tests/fuzz/fuzz_*.c))

UNIT_HELP_OBJ := $(UNIT_HELP_SRC:%.c=$(BUILD)/%.o)
UNIT := $(UNIT_SRC:%.c=$(BUILD)/%)
REPLAY := $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/tests/fuzz/%.replay)
FUZZ := $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/tests/fuzz/%)
DIFF := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/diff/diff_*.c))
# A library that makes calls fail; under sanitizers, where none can, a program of which that is a part.
FAULT := $(BUILD)/tests/fault/$(if $(SANITIZE),retriage,fault.so)
HOSTILE := $(if $(SANITIZE),,$(patsubst %.c,$(BUILD)/%.so,$(wildcard tests/jail/*.c)))


# --- Programs ----------------------------------------------------------------------------------

$(BUILD)/tests/%.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CFLAGS) $(TEST_CFLAGS) -MMD -MP -c -o $@ $<

# YAML is read in the process of the test.
INSIDE := $(addprefix -Wl$(comma)--wrap=rt_yaml_child_,open read free)
INSIDE_OBJ := $(BUILD)/tests/unit/inside.o

$(UNIT): %: %.o $(UNIT_HELP_OBJ) $(LIB)
	$(call say,LD)$(CC) -pie $(ALL_LDFLAGS) $(TEST_LDFLAGS) $(INSIDE) -o $@ $^ $(ALL_LIBS) $(TEST_LIBS)

$(BUILD)/tests/diff/diff_%: $(BUILD)/tests/diff/diff_%.o $(LIB)
	$(call say,LD)$(CC) -pie $(ALL_LDFLAGS) $(TEST_LDFLAGS) -o $@ $^ $(ALL_LIBS) $(TEST_LIBS)

# A target's own loops are gone through as often as what it tries.
$(BUILD)/tests/fuzz/%.o: TEST_CFLAGS += -O2


$(BUILD)/tests/fuzz/%.replay: $(addprefix $(BUILD)/tests/fuzz/,%.o replay.o turn.o) $(INSIDE_OBJ) $(LIB)
	$(call say,LD)$(CC) -pie $(ALL_LDFLAGS) $(TEST_LDFLAGS) $(INSIDE) -o $@ $^ $(ALL_LIBS) $(TEST_LIBS)

# Where inputs are made, with libraries that a fuzzer sees into, inputs reach a sixth to a half more branches.
SEEN_LIBS := $(if $(filter-out 0,$(FUZZ_SECONDS)),$(BUILD)/libs/built)
$(BUILD)/libs/built: tests/tools/fuzz_libs.sh $(BUILD)/flags
	@BUILD='$(BUILD)' CC='$(CC)' CFLAGS='$(CFLAGS) $(subst undefined$(comma),,$(SANITIZE_FLAGS))' \
		JOBS='$(JOBS)' sh $<

$(BUILD)/tests/fuzz/fuzz_%: $(addprefix $(BUILD)/tests/fuzz/,fuzz_%.o turn.o) $(INSIDE_OBJ) $(LIB) $(SEEN_LIBS)
	$(call say,LD)$(CC) -pie $(ALL_LDFLAGS) $(if $(SEEN_LIBS),-L$(BUILD)/libs) $(INSIDE) -fsanitize=fuzzer -o $@ \
		$(filter-out $(SEEN_LIBS),$^) $(ALL_LIBS) $(TEST_LIBS) $(if $(SEEN_LIBS),-llzma -lbz2 -llz4)

$(BUILD)/tests/%.so: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CFLAGS) -U_FORTIFY_SOURCE -fPIC -MMD -MP -shared $(HARDEN_LD) -o $@ $< -ldl

WRAP := $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc aligned_alloc reallocarray strdup strndup)
$(BUILD)/tests/fault/retriage: $(CLI_OBJ) $(BUILD)/tests/fault/wrap.o $(LIB)
	$(call say,LD)$(CC) -pie $(ALL_LDFLAGS) $(WRAP) -o $@ $^ $(ALL_LIBS)

# The program in which any function fails that can say why.
STEPS := $(wildcard src/*/*.h include/*.h)
$(BUILD)/gen/steps.c: tests/fault/steps.py tests/tests.mk $(STEPS)
	@mkdir -p $(@D)
	$(call say,GEN)$(PYTHON) $< $(STEPS) > $@

$(BUILD)/gen/steps.wrap: tests/fault/steps.py tests/tests.mk $(STEPS)
	@mkdir -p $(@D)
	$(call say,GEN)$(PYTHON) $< --wrap $(STEPS) > $@

$(BUILD)/tests/fault/steps: $(CLI_OBJ) $(BUILD)/gen/steps.o $(BUILD)/tests/fault/step.o $(LIB) | $(BUILD)/gen/steps.wrap
	$(call say,LD)$(CC) -pie $(ALL_LDFLAGS) @$(BUILD)/gen/steps.wrap -o $@ $^ $(ALL_LIBS)

-include $(wildcard $(BUILD)/tests/*/*.d $(BUILD)/tests/unit/*/*.d)

# --- Targets -----------------------------------------------------------------------------------

.PHONY: unit check-run check-asan check-contract contract-run check-page page-run check-report report-run \
	check-match match-run check-crash crash-run check-cluster cluster-run check-faults faults-run \
	coverage coverage-run mutation lint-run fuzz fuzz-plain fuzz-afl fuzz-afl-run fuzz-long fuzz-run \
	fuzz-build bench soak dist deb check-deb check-bare

unit: $(UNIT)

# The sources as they are released; they build without git.
dist:
	@.ci/dist '$(BUILD)/retriage-$(VERSION).tar.gz'

deb:
	@.ci/deps build deb
	@$(MAKE) --no-print-directory dist
	@JOBS='$(JOBS)' .ci/deb '$(BUILD)' $(PKGS)

# The packages in a bare Debian, as root.
check-deb:
	@.ci/deps build deb bare
	@BUILD='$(BUILD)' sh tests/deb/run.sh

# README's two commands in bare trees of the Debians of today, as root.
check-bare:
	@.ci/deps bare
	@BUILD='$(BUILD)' sh tests/deb/machines.sh

check-asan:
	@.ci/deps build check
	@$(MAKE) --no-print-directory $(many) BUILD=$(BUILD)/asan WERROR=1 SANITIZE=address,undefined \
		CFLAGS='-O1 -g1' check-run

check-run: all $(UNIT) $(DIFF) $(if $(SANITIZE),,$(REPLAY) $(HOSTILE)) $(FAULT)
	@BUILD='$(BUILD)' SANITIZE='$(SANITIZE)' PYTHON='$(PYTHON)' CC='$(CC)' \
		sh tests/tools/check.sh $(UNIT) $(DIFF) $(REPLAY)

# Every call of every command fails once, and from then on; nothing leaks when memory is short.
check-faults:
	@.ci/deps build check
	@$(MAKE) --no-print-directory $(many) WERROR=1 BUILD=$(BUILD)/check faults-run
	@$(MAKE) --no-print-directory $(many) WERROR=1 BUILD=$(BUILD)/asan SANITIZE=address,undefined \
		CFLAGS='-O1 -g1' faults-run

faults-run: $(BIN) $(FAULT) $(BUILD)/tests/fault/steps
	@rm -f '$(BUILD)/tests/fault/said'; for test in fault apply serve; do \
		BUILD='$(BUILD)' SANITIZE='$(SANITIZE)' FAULT_ALL=1 FAULT_TEXTS='$(BUILD)/tests/fault/said' \
			LC_ALL=C.UTF-8 '$(PYTHON)' tests/fault/test_$$test.py || exit 1; \
	done
	$(if $(SANITIZE),,@'$(PYTHON)' tests/fault/said.py '$(BUILD)/tests/fault/said')

# Which branches of src no test takes. By clang's own counts: gcov's, of which each object has a file,
# are written when a process ends, which one that is confined cannot.
coverage:
	@.ci/deps build check coverage
	@$(MAKE) --no-print-directory $(many) BUILD=$(BUILD)/coverage CC=$(CLANG) CFLAGS='-O1 -g1' \
		COVERAGE='$(abspath $(BUILD))/coverage/profile' coverage-run

coverage-run: all $(UNIT) $(DIFF) $(REPLAY) $(FAULT) $(HOSTILE) $(BUILD)/tests/fault/steps
	@BUILD='$(BUILD)' PYTHON='$(PYTHON)' CC='$(CC)' COVERAGE='$(COVERAGE)' \
		sh tests/coverage/run.sh $(UNIT) $(DIFF) $(REPLAY)

# Which small changes of the program its tests notice, of COUNT that are drawn from SEED. Goes on
# where an earlier run stopped.
mutation:
	@.ci/deps build check mutation
	@BUILD='$(BUILD)' JOBS='$(JOBS)' nice -n 19 '$(PYTHON)' tests/mutation/mutate.py '$(COUNT)' '$(SEED)'

# More crash states than check tries, and each flush left out once.
check-crash:
	@.ci/deps build check
	@$(MAKE) --no-print-directory $(many) WERROR=1 BUILD=$(BUILD)/check crash-run

crash-run: $(BIN)
	@BUILD='$(BUILD)' CRASH_ALL=1 LC_ALL=C.UTF-8 '$(PYTHON)' tests/crash/test_crash.py

# The shim, held to its OpenAPI document by programs of others; needs the npm registry once.
check-contract:
	@.ci/deps build contract
	@$(MAKE) --no-print-directory $(many) WERROR=1 BUILD=$(BUILD)/check contract-run

contract-run: $(BIN) $(FAULT)
	@BUILD='$(BUILD)' PYTHON='$(PYTHON)' sh tests/contract/run.sh

# The HTML report in Chromium; needs the npm registry once.
check-page:
	@.ci/deps build page
	@$(MAKE) --no-print-directory $(many) WERROR=1 BUILD=$(BUILD)/check page-run

page-run: $(BIN)
	@BUILD='$(BUILD)' PYTHON='$(PYTHON)' sh tests/page/run.sh

# JUnit reports, held to the schema that Jenkins publishes; needs the npm registry once.
check-report:
	@.ci/deps build report
	@$(MAKE) --no-print-directory $(many) WERROR=1 BUILD=$(BUILD)/check report-run

report-run: $(BIN)
	@BUILD='$(BUILD)' sh tests/report/schema.sh

# Matching, held to pairs of real scans whose truth is known; these are no part of the project.
check-match:
	@.ci/deps build check
	@$(MAKE) --no-print-directory $(many) WERROR=1 BUILD=$(BUILD)/check match-run

match-run: $(BIN)
	@BUILD='$(BUILD)' '$(PYTHON)' tests/match/truth.py
	@BUILD='$(BUILD)' '$(PYTHON)' tests/match/floors.py

# The README's recipes for several machines, on loopback: ssh and Slurm, in each of which a machine
# is killed. Installs servers, which Debian starts as it does all; those of the run are its own.
check-cluster:
	@.ci/deps build cluster
	@$(MAKE) --no-print-directory $(many) WERROR=1 BUILD=$(BUILD)/check cluster-run

cluster-run: $(BIN)
	@BUILD='$(BUILD)' '$(PYTHON)' tests/cluster/cluster.py

lint-run: $(BUILD)/gen/schemas.c $(BUILD)/gen/late.h
	@BUILD='$(BUILD)' CLANG='$(CLANG)' PYTHON='$(PYTHON)' \
		CPPFLAGS='$(filter -I% -D%,$(ALL_CFLAGS))' AVX2='$(AVX2)' \
		X86_ONLY='$(if $(X86_64),,$(X86_ONLY))' sh tests/tools/lint.sh

fuzz:
	@.ci/deps build check lint $(if $(SEEN_LIBS),fuzz)
	@$(MAKE) --no-print-directory $(many) BUILD=$(BUILD)/fuzz CC=$(CLANG) CFLAGS='-O2 -g1' \
		SANITIZE=address,undefined,fuzzer-no-link fuzz-run

# Without sanitizers, and without a look at each comparison, an input costs a tenth: so many more are
# tried, by what the targets themselves hold to be right. What they find that reaches new code is kept,
# in one corpus for both builds, and errors of memory are left to the sanitizers, which see that.
PLAIN_BUILD := LINKED=1 CC=$(CLANG) CFLAGS='-O2 -g1 -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp'
fuzz-plain:
	@.ci/deps build check lint $(if $(SEEN_LIBS),fuzz)
	@$(MAKE) --no-print-directory $(many) BUILD=$(BUILD)/fuzz-plain $(PLAIN_BUILD) \
		FUZZ_CORPUS=$(BUILD)/fuzz/corpus fuzz-run

# Compressions and containers by AFL++ as well.
fuzz-afl:
	@.ci/deps build check lint fuzz afl
	@$(MAKE) --no-print-directory $(many) BUILD=$(BUILD)/fuzz-plain $(PLAIN_BUILD) fuzz-build
	@$(MAKE) --no-print-directory $(many) BUILD=$(BUILD)/fuzz-afl LINKED=1 CC=afl-clang-fast CFLAGS='-O2 -g1' \
		FUZZ_CORPUS=$(BUILD)/fuzz/corpus FUZZ_PLAIN=$(BUILD)/fuzz-plain/tests/fuzz fuzz-afl-run

# On from the kept corpus, five minutes each at a time, until each has been given FUZZ_RUNS inputs; then
# five minutes by AFL++, everything that is kept, and five minutes more, under sanitizers.
fuzz-long:
	@$(MAKE) --no-print-directory fuzz-plain FUZZ_RUNS='$(or $(FUZZ_RUNS),10000000)' FUZZ_SECONDS=300
	@$(MAKE) --no-print-directory fuzz-afl FUZZ_SECONDS=300
	@$(MAKE) --no-print-directory fuzz FUZZ_RUNS= FUZZ_SECONDS=0
	@$(MAKE) --no-print-directory fuzz FUZZ_RUNS= FUZZ_SECONDS=300

fuzz-build: $(FUZZ)

fuzz-run: $(FUZZ)
	@BUILD='$(BUILD)' FUZZ_CORPUS='$(or $(FUZZ_CORPUS),$(BUILD)/corpus)' FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_RUNS='$(FUZZ_RUNS)' \
		FUZZ_JOBS='$(JOBS)' sh tests/tools/fuzz.sh $(FUZZ)

fuzz-afl-run: $(addprefix $(BUILD)/tests/fuzz/,fuzz_archive fuzz_repack)
	@BUILD='$(BUILD)' FUZZ_CORPUS='$(FUZZ_CORPUS)' FUZZ_PLAIN='$(FUZZ_PLAIN)' FUZZ_SECONDS='$(FUZZ_SECONDS)' \
		sh tests/tools/fuzz_afl.sh $^

bench:
	@.ci/deps build bench
	@$(MAKE) --no-print-directory $(many) all
	BUILD='$(BUILD)' PYTHON='$(PYTHON)' sh tests/bench/run.sh

# Mixed load on the shim for SOAK_MINUTES under AddressSanitizer, then a tenth of it under valgrind.
soak:
	@.ci/deps build soak
	@$(MAKE) --no-print-directory $(many) BUILD=$(BUILD)/asan SANITIZE=address,undefined CFLAGS='-O1 -g1' all
	@$(MAKE) --no-print-directory $(many) all
	@BUILD='$(BUILD)' PYTHON='$(PYTHON)' sh tests/soak/soak.sh '$(SOAK_MINUTES)'

CHECKS_HELP = 'dist        the archive of the sources, BUILD/retriage-$(VERSION).tar.gz' \
		'deb         Debian packages of the program, the library and what builds with it, in BUILD' \
		'check-deb   install, use, remove and build them in a bare Debian 12 (root, debootstrap)' \
		'check-bare  demo, check and deb in a bare Debian 12 and 13, as root and not (root, debootstrap)' \
		'check-asan  the same under AddressSanitizer, LeakSanitizer and UBSan, fewer suites and rounds' \
		'check-contract  hold the HTTP shim to schemas/openapi.json by Prism and Spectral (npm)' \
		'check-page  open the HTML report in Chromium: errors, filters, keys, print, axe (npm)' \
		'check-report  hold JUnit and SARIF reports to their schemas and readers (npm)' \
		'check-match  hold diff to pairs of real scans, where they lie beside the project' \
		'check-faults  make every call of every command fail, once and from then on' \
		'coverage    count the branches of src that tests take; list those that none does' \
		'mutation    change the program in COUNT places (default 200, drawn from SEED), count what' \
		'            tests notice' \
		'check-crash  recover from every state that a crash may leave; no flush can be left out' \
		'check-cluster  sum up shares by GNU parallel over ssh and by Slurm, and kill a machine of each' \
		'fuzz        run every fuzz target for FUZZ_SECONDS (default 30), by clang' \
		'fuzz-plain  the same without sanitizers, many more inputs a second' \
		'fuzz-afl    archives and compressions by AFL++, for FUZZ_SECONDS each' \
		'fuzz-long   run them on until each has had FUZZ_RUNS inputs (default 10,000,000)' \
		'bench       time answers and updates against jq, jansson, simdjson, libmicrohttpd' \
		'soak        load the HTTP shim for SOAK_MINUTES (default 10), look for leaks and growth'
