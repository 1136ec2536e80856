# retriage: one Makefile for the library, the command line, the tests and the checks.
#
#   make            build $(BUILD)/retriage, libretriage.a and libretriage.so
#   make demo       install what is missing, build, answer from a sample export
#   make check      install what is missing, build with -Werror, run every test
#   make help       all targets and variables
#
# Building needs make, sh, sed, a C compiler and pkg-config; tests and checks need more. The lists
# of packages are in .ci/deps, which installs them on Debian; nothing here needs them to parse.

BUILD ?= build
SANITIZE ?=
COVERAGE ?=
HTTP ?= 1
WERROR ?=
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
PKG_CONFIG ?= pkg-config
PYTHON ?= /usr/bin/python3
CLANG ?= clang
FUZZ_SECONDS ?= 30
SOAK_MINUTES ?= 10
COUNT ?= 200
SEED ?= 1
AR ?= ar
JOBS ?= $(shell nproc 2>/dev/null || echo 1)

comma := ,
VERSION := $(shell sed -n 's/^\#define RT_VERSION "\(.*\)"/\1/p' include/retriage.h)
SOVERSION := 0
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null || uname -m)
X86_64 := $(findstring x86_64,$(MACHINE))

# --- Flags -------------------------------------------------------------------------------------

# The HTTP shim can be left out.
WITH_HTTP := $(filter-out 0,$(HTTP))
HTTP_ONLY := $(wildcard src/http/*.c tests/unit/http/*.c) src/cli/cmd_serve.c

PKGS := yaml-0.1 libcrypto libpcre2-8 libseccomp libisal
# Of its headers alone: a service loads it (src/http/server.h).
HTTP_PKGS := $(if $(WITH_HTTP),libmicrohttpd)
# Loaded when a file has to be unpacked (base/late.h). Sanitizers and fuzzers see into what is linked.
LATE_PKGS := libarchive libzip
LINKED ?= $(SANITIZE)
WARN := -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wwrite-strings -Wformat=2 -Wundef -Wconversion
HARDEN := -fstack-protector-strong $(if $(X86_64),-fstack-clash-protection -fcf-protection)
HARDEN_LD := -Wl,-z,relro,-z,now -Wl,-z,noexecstack

CFLAGS ?= -O2 -g
# A sanitizer checks more than _FORTIFY_SOURCE, and does not go with it.
ifeq ($(SANITIZE),)
HARDEN += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
else
SANITIZE_FLAGS := -DRT_SANITIZED -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif

# Counts of all branches, in a file a program that is mapped when a process starts, before it gives
# up the right to write any: none is lost when it is killed. COVERAGE is the folder of the files.
ifneq ($(COVERAGE),)
COUNTING_LD := -fprofile-instr-generate=$(COVERAGE)/%m%c.profraw
# Static functions have their file's name in theirs, of which clang by itself takes the last part only.
COUNTING = $(COUNTING_LD) -fcoverage-mapping -mllvm -runtime-counter-relocation -Xclang -main-file-name -Xclang $<
endif

ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(if $(WITH_HTTP),,-DRT_WITHOUT_HTTP) $(if $(LINKED),-DRT_LINKED) -Isrc -Iinclude $(CFLAGS) $(WARN) \
	$(if $(WERROR),-Werror) $(HARDEN) $(SANITIZE_FLAGS) $(COUNTING) \
	$(shell $(PKG_CONFIG) --cflags $(PKGS) $(HTTP_PKGS) $(LATE_PKGS) 2>/dev/null)
ALL_LDFLAGS = $(CFLAGS) $(SANITIZE_FLAGS) $(COUNTING_LD) $(HARDEN_LD) $(LDFLAGS)
ALL_LIBS = -Wl,--as-needed $(shell $(PKG_CONFIG) --libs $(PKGS) $(if $(LINKED),$(LATE_PKGS)) 2>/dev/null)
# Of libcrypto the program calls SHA-256 and little else, which are 50 KB; to load all of it takes as
# long as the rest of a short run. So it carries them, where there is an archive to take them from.
CRYPTO ?= $(if $(wildcard $(shell $(CC) -print-file-name=libcrypto.a 2>/dev/null)),-l:libcrypto.a,-lcrypto)
BIN_LIBS = $(patsubst -lcrypto,$(CRYPTO),$(ALL_LIBS))
TEST_LIBS = $(shell $(PKG_CONFIG) --libs $(LATE_PKGS) check jansson zlib 2>/dev/null)

# Library objects serve the archive and the shared library; hidden visibility keeps both the same
# code, with no way in but include/retriage.h.
LIB_CFLAGS := -fPIC -fvisibility=hidden -fno-semantic-interposition
BIN_CFLAGS := -fPIE
# Most test programs run for less time than they take to compile.
TEST_CFLAGS := -O1 -g1 -fPIE -I. -Itests/unit
# There are many of them, and GNU gold, which Debian's gcc brings along, links in a quarter of the time.
TEST_LDFLAGS := $(if $(COVERAGE)$(SANITIZE),,$(if $(wildcard $(shell $(CC) -print-prog-name=ld.gold 2>/dev/null)),-fuse-ld=gold))

# Code for one processor only; it is called after a look at what the processor has.
X86_ONLY := src/scan/scan_avx2.c
AVX2 := -mavx2 -mbmi -mbmi2 -mpopcnt
$(BUILD)/obj/scan/scan_avx2.o: FILE_CFLAGS := $(AVX2)

# --- Files -------------------------------------------------------------------------------------

LEFT_OUT := $(if $(X86_64),,$(X86_ONLY)) $(if $(WITH_HTTP),,$(HTTP_ONLY))
LIB_SRC := $(filter-out src/cli/% $(LEFT_OUT),$(wildcard src/*/*.c))
CLI_SRC := $(filter-out $(LEFT_OUT),$(wildcard src/cli/*.c))
SCHEMAS := $(sort $(wildcard schemas/*.json))
PAGE := src/output/html/page.css src/output/html/page.js
UNIT_SRC := $(filter-out $(LEFT_OUT),$(wildcard tests/unit/*/test_*.c))
UNIT_HELP_SRC := $(wildcard tests/unit/*.c)
FUZZ_SRC := $(filter-out $(LEFT_OUT),$(wildcard tests/fuzz/fuzz_*.c))

LIB_OBJ := $(LIB_SRC:src/%.c=$(BUILD)/obj/%.o) $(BUILD)/gen/schemas.o $(BUILD)/gen/page.o
CLI_OBJ := $(CLI_SRC:src/%.c=$(BUILD)/obj/%.o)
UNIT_HELP_OBJ := $(UNIT_HELP_SRC:%.c=$(BUILD)/%.o)
UNIT := $(UNIT_SRC:%.c=$(BUILD)/%)
REPLAY := $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/tests/fuzz/%.replay)
FUZZ := $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/tests/fuzz/%)
DIFF := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/diff/diff_*.c))
# A library that makes calls fail; under sanitizers, where none can, a program of which that is a part.
FAULT := $(BUILD)/tests/fault/$(if $(SANITIZE),retriage,fault.so)
HOSTILE := $(if $(SANITIZE),,$(patsubst %.c,$(BUILD)/%.so,$(wildcard tests/jail/*.c)))

LIB := $(BUILD)/libretriage.a
SHLIB := $(BUILD)/libretriage.so.$(VERSION)
BIN := $(BUILD)/retriage
COMPLETIONS := $(addprefix $(BUILD)/completions/,bash zsh fish)

# --- Building ----------------------------------------------------------------------------------

# One short line a step; V=1 shows the commands.
say = $(if $(V),,@echo '  $(1)  $@'; )

.DEFAULT_GOAL := all
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all lib unit demo demo-run check check-run check-asan check-contract contract-run \
	check-page page-run check-report report-run check-crash crash-run check-cluster cluster-run \
	check-faults faults-run coverage coverage-run mutation lint lint-run fuzz fuzz-plain fuzz-afl fuzz-afl-run \
	fuzz-long fuzz-run fuzz-build bench soak install uninstall clean help FORCE

all: $(BIN) $(SHLIB) $(COMPLETIONS)

lib: $(LIB)

unit: $(UNIT)

# Changes when the compiler or its flags do, and everything is built again; likewise when BUILD is
# spelled another way, for what a compiler notes of headers names it. It also says plainly which
# library is missing, instead of a header that is not found later.
FLAGS_NOW = $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(TEST_LDFLAGS) $(BUILD)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@$(PKG_CONFIG) --print-errors --exists $(PKGS) $(HTTP_PKGS) $(LATE_PKGS)
	@printf '%s\n' '$(FLAGS_NOW)' | cmp -s - $@ || printf '%s\n' '$(FLAGS_NOW)' > $@

# Likewise for the lists of files, so that a file which went away leaves nothing behind.
$(BUILD)/files: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(LIB_SRC) $(CLI_SRC) $(SCHEMAS)' | cmp -s - $@ || \
		printf '%s\n' '$(LIB_SRC) $(CLI_SRC) $(SCHEMAS)' > $@

$(BUILD)/obj/cli/%.o: src/cli/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CFLAGS) $(BIN_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CFLAGS) $(LIB_CFLAGS) $(FILE_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/gen/schemas.c: $(SCHEMAS) tests/tools/embed.sh $(BUILD)/files
	@mkdir -p $(@D)
	$(call say,GEN)sh tests/tools/embed.sh $(SCHEMAS) > $@

# The style and the script of the HTML report.
$(BUILD)/gen/page.c: $(PAGE) tests/tools/embed.sh
	@mkdir -p $(@D)
	$(call say,GEN)sh tests/tools/embed.sh --texts output/html.h rt_page_css=src/output/html/page.css \
		rt_page_js=src/output/html/page.js > $@

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/flags
	$(call say,CC)$(CC) $(ALL_CFLAGS) $(LIB_CFLAGS) -MMD -MP -c -o $@ $<

$(LIB): $(LIB_OBJ) $(BUILD)/files
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $(LIB_OBJ)

$(SHLIB): $(LIB_OBJ) $(BUILD)/files
	$(call say,LD)$(CC) -shared $(ALL_LDFLAGS) $(if $(SANITIZE),,-Wl$(comma)-z$(comma)defs) -Wl,-soname,libretriage.so.$(SOVERSION) -o $@ $(LIB_OBJ) $(ALL_LIBS)

$(BIN): $(CLI_OBJ) $(LIB) $(BUILD)/files
	$(call say,LD)$(CC) -pie $(ALL_LDFLAGS) -o $@ $(CLI_OBJ) $(LIB) $(BIN_LIBS)

$(BUILD)/completions/%: $(BIN)
	@mkdir -p $(@D)
	$(call say,GEN)$(BIN) completion $* > $@

$(BUILD)/tests/%.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CFLAGS) $(TEST_CFLAGS) -MMD -MP -c -o $@ $<

$(UNIT): %: %.o $(UNIT_HELP_OBJ) $(LIB)
	$(call say,LD)$(CC) -pie $(ALL_LDFLAGS) $(TEST_LDFLAGS) -o $@ $^ $(ALL_LIBS) $(TEST_LIBS)

$(BUILD)/tests/diff/diff_%: $(BUILD)/tests/diff/diff_%.o $(LIB)
	$(call say,LD)$(CC) -pie $(ALL_LDFLAGS) $(TEST_LDFLAGS) -o $@ $^ $(ALL_LIBS) $(TEST_LIBS)

# A target's own loops are gone through as often as what it tries.
$(BUILD)/tests/fuzz/%.o: TEST_CFLAGS += -O2

# YAML converted in the process that reads it.
INSIDE := -Wl,--wrap=rt_parts_converter
$(BUILD)/tests/unit/record/test_reader_split: private ALL_LDFLAGS += $(INSIDE)

$(BUILD)/tests/fuzz/%.replay: $(addprefix $(BUILD)/tests/fuzz/,%.o replay.o inside.o turn.o) $(LIB)
	$(call say,LD)$(CC) -pie $(ALL_LDFLAGS) $(TEST_LDFLAGS) $(INSIDE) -o $@ $^ $(ALL_LIBS) $(TEST_LIBS)

# Where inputs are made, with libraries that a fuzzer sees into, inputs reach a sixth to a half more branches.
SEEN_LIBS := $(if $(filter-out 0,$(FUZZ_SECONDS)),$(BUILD)/libs/built)
$(BUILD)/libs/built: tests/tools/fuzz_libs.sh $(BUILD)/flags
	@BUILD='$(BUILD)' CC='$(CC)' CFLAGS='$(CFLAGS) $(subst undefined$(comma),,$(SANITIZE_FLAGS))' \
		JOBS='$(JOBS)' sh $<

$(BUILD)/tests/fuzz/fuzz_%: $(addprefix $(BUILD)/tests/fuzz/,fuzz_%.o inside.o turn.o) $(LIB) $(SEEN_LIBS)
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
# Several sources, for some names are others' names, too.
STEPS_OF_decode := $(filter src/decode/% src/rewrite/repack_state.h src/rewrite/patch_stream.h,$(STEPS))
STEPS_OF_source := $(filter src/source/% src/rewrite/%,$(filter-out $(STEPS_OF_decode),$(STEPS)))
STEPS_OF_rest := $(filter-out $(STEPS_OF_decode) $(STEPS_OF_source),$(STEPS))
$(BUILD)/gen/steps_%.c: tests/fault/steps.py Makefile $(STEPS)
	@mkdir -p $(@D)
	$(call say,GEN)$(PYTHON) $< $(STEPS_OF_$*) > $@

$(BUILD)/gen/steps.wrap: tests/fault/steps.py Makefile $(STEPS)
	@mkdir -p $(@D)
	$(call say,GEN)$(PYTHON) $< --wrap $(STEPS) > $@

$(BUILD)/tests/fault/steps: $(CLI_OBJ) $(addprefix $(BUILD)/,$(patsubst %,gen/steps_%.o,decode source rest) \
		tests/fault/step.o) $(LIB) | $(BUILD)/gen/steps.wrap
	$(call say,LD)$(CC) -pie $(ALL_LDFLAGS) @$(BUILD)/gen/steps.wrap -o $@ $^ $(ALL_LIBS)

-include $(wildcard $(BUILD)/obj/*/*.d $(BUILD)/gen/*.d $(BUILD)/tests/*/*.d $(BUILD)/tests/unit/*/*.d)

# --- Using and checking ------------------------------------------------------------------------

# Each of these first has .ci/deps install what is missing, and only then calls make again for
# the work, so that tools which were not there before are found; JOBS at a time, unless whoever
# called make has said how many.
many = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

demo:
	@.ci/deps build
	@$(MAKE) --no-print-directory $(many) all
	@$(MAKE) --no-print-directory demo-run

demo-run: $(BIN)
	sh tests/tools/demo.sh $(BIN)

check:
	@.ci/deps build check
	@$(MAKE) --no-print-directory $(many) BUILD=$(BUILD)/check WERROR=1 check-run

check-asan:
	@.ci/deps build check
	@$(MAKE) --no-print-directory $(many) BUILD=$(BUILD)/asan WERROR=1 SANITIZE=address,undefined \
		CFLAGS='-O1 -g1' check-run

check-run: all $(UNIT) $(DIFF) $(REPLAY) $(FAULT) $(HOSTILE)
	@BUILD='$(BUILD)' SANITIZE='$(SANITIZE)' PYTHON='$(PYTHON)' CC='$(CC)' \
		sh tests/tools/check.sh $(UNIT) $(DIFF) $(REPLAY)

# Every call of every command fails once, and from then on; nothing leaks when memory is short.
check-faults:
	@.ci/deps build check
	@$(MAKE) --no-print-directory $(many) WERROR=1 BUILD=$(BUILD)/check faults-run
	@$(MAKE) --no-print-directory $(many) WERROR=1 BUILD=$(BUILD)/asan SANITIZE=address,undefined \
		CFLAGS='-O1 -g1' faults-run

faults-run: $(BIN) $(FAULT) $(BUILD)/tests/fault/steps
	@for test in fault apply serve; do \
		BUILD='$(BUILD)' SANITIZE='$(SANITIZE)' FAULT_ALL=1 LC_ALL=C.UTF-8 \
			'$(PYTHON)' tests/fault/test_$$test.py || exit 1; \
	done

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
.PHONY: check-match match-run
check-match:
	@.ci/deps build check
	@$(MAKE) --no-print-directory $(many) WERROR=1 BUILD=$(BUILD)/check match-run

match-run: $(BIN)
	@BUILD='$(BUILD)' '$(PYTHON)' tests/match/truth.py

# The README's recipes for several machines, on loopback: ssh and Slurm, in each of which a machine
# is killed. Installs servers, which Debian starts as it does all; those of the run are its own.
check-cluster:
	@.ci/deps build cluster
	@$(MAKE) --no-print-directory $(many) WERROR=1 BUILD=$(BUILD)/check cluster-run

cluster-run: $(BIN)
	@BUILD='$(BUILD)' '$(PYTHON)' tests/cluster/cluster.py

lint:
	@.ci/deps build check lint
	@$(MAKE) --no-print-directory $(many) BUILD=$(BUILD)/lint lint-run

lint-run: $(BUILD)/gen/schemas.c
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

# Where everything goes; what is under PREFIX stays under it when the .pc file is moved along. A
# program with libretriage.a in it needs the libraries that this one calls, as they are here: mostly
# shared. Requires.private would ask for what a wholly static one needs, and nobody has installed.
TO = $(DESTDIR)$(PREFIX)
TO_LIB = $(DESTDIR)$(LIBDIR)
INSTALLED = '$(TO)/bin/retriage' '$(TO)/include/retriage.h' '$(TO)/share/man/man1/retriage.1' \
	'$(TO)/share/bash-completion/completions/retriage' \
	'$(TO)/share/zsh/site-functions/_retriage' \
	'$(TO)/share/fish/vendor_completions.d/retriage.fish' \
	'$(TO_LIB)/libretriage.a' '$(TO_LIB)/libretriage.so' \
	'$(TO_LIB)/libretriage.so.$(SOVERSION)' '$(TO_LIB)/libretriage.so.$(VERSION)' \
	'$(TO_LIB)/pkgconfig/retriage.pc'

install: all
	install -D -m 755 $(BIN) '$(TO)/bin/retriage'
	install -D -m 644 include/retriage.h '$(TO)/include/retriage.h'
	install -D -m 644 src/cli/retriage.1 '$(TO)/share/man/man1/retriage.1'
	install -D -m 644 $(BUILD)/completions/bash '$(TO)/share/bash-completion/completions/retriage'
	install -D -m 644 $(BUILD)/completions/zsh '$(TO)/share/zsh/site-functions/_retriage'
	install -D -m 644 $(BUILD)/completions/fish '$(TO)/share/fish/vendor_completions.d/retriage.fish'
	install -D -m 644 $(LIB) '$(TO_LIB)/libretriage.a'
	install -D -m 644 $(SHLIB) '$(TO_LIB)/libretriage.so.$(VERSION)'
	ln -sf libretriage.so.$(VERSION) '$(TO_LIB)/libretriage.so.$(SOVERSION)'
	ln -sf libretriage.so.$(SOVERSION) '$(TO_LIB)/libretriage.so'
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))' \
		'Name: retriage' 'Description: offline engine for exported code-security findings' \
		'Version: $(VERSION)' 'Cflags: -I$${prefix}/include' \
		'Libs: -L$${libdir} -lretriage' 'Libs.private: $(shell $(PKG_CONFIG) --libs $(PKGS)) -pthread' | \
		install -D -m 644 /dev/stdin '$(TO_LIB)/pkgconfig/retriage.pc'

uninstall:
	rm -f $(INSTALLED)

clean:
	rm -rf '$(BUILD)'

help:
	@printf '%s\n' \
		'all         $(BUILD)/retriage, libretriage.a and libretriage.so' \
		'demo        install what is missing, build, answer from a sample export' \
		'check       install what is missing, build with -Werror, run every test' \
		'check-asan  the same under AddressSanitizer, LeakSanitizer and UBSan, fewer random rounds' \
		'check-contract  hold the HTTP shim to schemas/openapi.json by Prism and Spectral (npm)' \
		'check-page  open the HTML report in Chromium: errors, filters, keys, print, axe (npm)' \
		'check-report  hold JUnit reports to the schema that Jenkins publishes (npm)' \
		'check-match  hold diff to pairs of real scans, where they lie beside the project' \
		'check-faults  make every call of every command fail, once and from then on' \
		'coverage    count the branches of src that tests take; list those that none does' \
		'mutation    change the program in COUNT places (default 200, drawn from SEED), count what' \
		'            tests notice' \
		'check-crash  recover from every state that a crash may leave; no flush can be left out' \
		'check-cluster  sum up shares by GNU parallel over ssh and by Slurm, and kill a machine of each' \
		'lint        format, layers, headers, sizes, clang-tidy, cppcheck, -fanalyzer' \
		'fuzz        run every fuzz target for FUZZ_SECONDS (default 30), by clang' \
		'fuzz-plain  the same without sanitizers, many more inputs a second' \
		'fuzz-afl    archives and compressions by AFL++, for FUZZ_SECONDS each' \
		'fuzz-long   run them on until each has had FUZZ_RUNS inputs (default 10,000,000)' \
		'bench       time answers and updates against jq, jansson, simdjson, libmicrohttpd' \
		'soak        load the HTTP shim for SOAK_MINUTES (default 10), look for leaks and growth' \
		'install     into DESTDIR/PREFIX (default /usr/local), libraries into DESTDIR/LIBDIR' \
		'            (default PREFIX/lib); uninstall removes them' \
		'clean       remove BUILD' \
		'' \
		'Variables: BUILD CC CFLAGS LDFLAGS SANITIZE HTTP WERROR PREFIX LIBDIR DESTDIR PYTHON JOBS V'

FORCE:
