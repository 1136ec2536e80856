# retriage: the library, the command line, and by tests/tests.mk the tests; `make help` lists targets.
#
# Building needs make, sh, sed, grep, a C compiler with binutils, and pkg-config; tests and checks need more. The lists
# of packages are in .ci/deps, which installs them on Debian; nothing here needs them to parse.

BUILD ?= build
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
PKG_CONFIG ?= pkg-config
PYTHON ?= /usr/bin/python3
ifeq ($(origin AR),default)
AR := $(or $(shell $(CC) -print-prog-name=ar 2>/dev/null),ar)
endif
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
comma := ,
VERSION := $(shell sed -n 's/^\#define RT_VERSION "\(.*\)"/\1/p' include/retriage.h)
SOVERSION := 0
X86_64 := $(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null || uname -m))

# --- Flags -------------------------------------------------------------------------------------

# HTTP=0 leaves the HTTP shim out.
WITH_HTTP := $(filter-out 0,$(or $(HTTP),1))
HTTP_ONLY := $(wildcard src/http/*.c tests/unit/http/*.c) src/cli/cmd_serve.c

PKGS := yaml-0.1 jansson libcrypto libpcre2-8 libseccomp libisal
# Loaded when a service starts (base/late.h).
HTTP_PKGS := $(if $(WITH_HTTP),libmicrohttpd)
# Loaded when a file has to be unpacked. Sanitizers and fuzzers see into what is linked.
LATE_PKGS := libarchive libzip
LINKED ?= $(SANITIZE)
WARN := -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wwrite-strings -Wformat=2 -Wundef -Wconversion
# A sanitizer checks more than _FORTIFY_SOURCE, and does not go with it.
HARDEN := -fstack-protector-strong $(if $(X86_64),-fstack-clash-protection -fcf-protection) \
	$(if $(SANITIZE),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
HARDEN_LD := -Wl,-z,relro,-z,now -Wl,-z,noexecstack
SANITIZE_FLAGS := $(if $(SANITIZE),-DRT_SANITIZED -fsanitize=$(SANITIZE) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer)
CFLAGS ?= -O2 -g

ALL_CFLAGS = -std=c11 -D_GNU_SOURCE $(if $(WITH_HTTP),,-DRT_WITHOUT_HTTP) $(if $(LINKED),-DRT_LINKED) -Isrc -Iinclude -I$(BUILD) $(CFLAGS) $(WARN) \
	$(if $(WERROR),-Werror) $(HARDEN) $(SANITIZE_FLAGS) $(COUNTING) \
	$(shell $(PKG_CONFIG) --cflags $(PKGS) $(HTTP_PKGS) $(LATE_PKGS) 2>/dev/null)
ALL_LDFLAGS = $(CFLAGS) $(SANITIZE_FLAGS) $(COUNTING_LD) $(HARDEN_LD) $(LDFLAGS)
ALL_LIBS = -Wl,--as-needed $(shell $(PKG_CONFIG) --libs $(PKGS) $(if $(LINKED),$(LATE_PKGS)) 2>/dev/null)
# The archive and the shared library have the same objects, with no way in but include/retriage.h.
LIB_CFLAGS := -fPIC -fvisibility=hidden -fno-semantic-interposition
BIN_CFLAGS := -fPIE
# Code for one processor only; it is called after a look at what the processor has.
X86_ONLY := src/scan/scan_avx2.c
AVX2 := -mavx2 -mbmi -mbmi2 -mpopcnt
$(BUILD)/obj/scan/scan_avx2.o: FILE_CFLAGS := $(AVX2)

LEFT_OUT := $(if $(X86_64),,$(X86_ONLY)) $(if $(WITH_HTTP),,$(HTTP_ONLY))
LIB_SRC := $(filter-out src/cli/% $(LEFT_OUT),$(wildcard src/*/*.c))
CLI_SRC := $(filter-out $(LEFT_OUT),$(wildcard src/cli/*.c))
SCHEMAS := $(sort $(wildcard schemas/*.json))
PAGE := src/output/html/page.css src/output/html/page.html src/output/html/page.js
LIB_OBJ := $(LIB_SRC:src/%.c=$(BUILD)/obj/%.o) $(BUILD)/gen/schemas.o $(BUILD)/gen/page.o
CLI_OBJ := $(CLI_SRC:src/%.c=$(BUILD)/obj/%.o)
LIB := $(BUILD)/libretriage.a
SHLIB := $(BUILD)/libretriage.so.$(VERSION)
BIN := $(BUILD)/retriage

# --- Building ----------------------------------------------------------------------------------

# V=1 shows the commands.
say = $(if $(V),,@echo '  $(1)  $@'; )

.DEFAULT_GOAL := all
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all lib demo check lint install uninstall clean help FORCE

all: $(BIN) $(SHLIB)
lib: $(LIB)

# Changes when the compiler, its flags or a library's version do, or BUILD is spelled another way, and
# everything is built again. It also says plainly which libraries are missing, and in which packages they are.
FLAGS_NOW = $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(TEST_LDFLAGS) $(BUILD) \
	$(shell $(PKG_CONFIG) --modversion $(PKGS) $(HTTP_PKGS) $(LATE_PKGS) 2>/dev/null)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@$(PKG_CONFIG) --exists $(PKGS) $(HTTP_PKGS) $(LATE_PKGS) || \
		PKG_CONFIG='$(PKG_CONFIG)' .ci/deps --missing $(PKGS) $(HTTP_PKGS) $(LATE_PKGS)
	@printf '%s\n' '$(FLAGS_NOW)' | cmp -s - $@ || printf '%s\n' '$(FLAGS_NOW)' > $@

# Likewise for the lists of files, so that a file which went away leaves nothing behind.
FILES_NOW = $(LIB_SRC) $(CLI_SRC) $(SCHEMAS)
$(BUILD)/files: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(FILES_NOW)' | cmp -s - $@ || printf '%s\n' '$(FILES_NOW)' > $@

# What is loaded by dlopen, as the linker finds it; written when it changes, so that little is built again.
$(BUILD)/gen/late.done: tests/tools/late.sh src/source/archive.h $(if $(WITH_HTTP),$(wildcard src/http/*.[ch])) $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,GEN)CC='$(CC)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' PKG_CONFIG='$(PKG_CONFIG)' \
		sh tests/tools/late.sh $(BUILD)/late $(LATE_PKGS) $(HTTP_PKGS) > $@.new
	@cmp -s $@.new $(BUILD)/gen/late.h || cp $@.new $(BUILD)/gen/late.h
	@mv $@.new $@

$(BUILD)/gen/late.h: $(BUILD)/gen/late.done ;
$(BUILD)/obj/base/late.o $(BUILD)/obj/cli/help.o: $(BUILD)/gen/late.h

$(BUILD)/obj/cli/%.o: src/cli/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CFLAGS) $(BIN_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(ALL_CFLAGS) $(LIB_CFLAGS) $(FILE_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/gen/schemas.c: $(SCHEMAS) tests/tools/embed.sh $(BUILD)/files
	@mkdir -p $(@D)
	$(call say,GEN)sh tests/tools/embed.sh $(SCHEMAS) > $@

$(BUILD)/gen/page.c: $(PAGE) tests/tools/embed.sh
	@mkdir -p $(@D)
	$(call say,GEN)sh tests/tools/embed.sh --texts output/html.h rt_page_css=src/output/html/page.css \
		rt_page_js=src/output/html/page.js rt_page_=src/output/html/page.html > $@

$(BUILD)/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/flags
	$(call say,CC)$(CC) $(ALL_CFLAGS) $(LIB_CFLAGS) -MMD -MP -c -o $@ $<

$(LIB): $(LIB_OBJ) $(BUILD)/files
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $(LIB_OBJ)

$(SHLIB): $(LIB_OBJ) $(BUILD)/files
	$(call say,LD)$(CC) -shared $(ALL_LDFLAGS) $(if $(SANITIZE),,-Wl$(comma)-z$(comma)defs) -Wl,-soname,libretriage.so.$(SOVERSION) -o $@ $(LIB_OBJ) $(ALL_LIBS)

# Of libcrypto the program calls SHA-256 and little else. To load all of it takes as long as the rest
# of a short run, so it carries what it calls, where there is an archive that links: some need more
# libraries than they are worth.
LINK = $(CC) -pie $(ALL_LDFLAGS) -o $@ $(CLI_OBJ) $(LIB)
$(BIN): $(CLI_OBJ) $(LIB) $(BUILD)/files
	$(call say,LD)$(LINK) $(patsubst -lcrypto,-l:libcrypto.a,$(ALL_LIBS)) 2>/dev/null || $(LINK) $(ALL_LIBS)

-include $(wildcard $(BUILD)/obj/*/*.d $(BUILD)/gen/*.d)

# --- Using and checking ------------------------------------------------------------------------

# These first have .ci/deps install what is missing, and only then call make again, so that tools
# which were not there before are found; JOBS at a time, unless the caller has said how many.
many = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

demo:
	@.ci/deps build
	@$(MAKE) --no-print-directory $(many) all
	sh tests/tools/demo.sh $(EMULATOR) $(BIN)

check:
	@.ci/deps build check
	@$(MAKE) --no-print-directory $(many) BUILD=$(BUILD)/check WERROR=1 check-run

lint:
	@.ci/deps build check lint
	@$(MAKE) --no-print-directory $(many) BUILD=$(BUILD)/lint lint-run

# What is under PREFIX stays under it when the .pc file is moved along. A program with libretriage.a in
# it needs the libraries that this one calls, as they are here: mostly shared, so not Requires.private.
TO = $(DESTDIR)$(PREFIX)
TO_LIB = $(DESTDIR)$(LIBDIR)
INSTALLED = $(patsubst %,'$(TO)/%',bin/retriage include/retriage.h share/man/man1/retriage.1 \
	share/bash-completion/completions/retriage share/retriage) $(patsubst %,'$(TO_LIB)/%',libretriage.a \
	libretriage.so libretriage.so.$(SOVERSION) libretriage.so.$(VERSION) pkgconfig/retriage.pc)

install: all
	install -D -m 755 $(BIN) '$(TO)/bin/retriage'
	install -D -m 644 include/retriage.h '$(TO)/include/retriage.h'
	install -D -m 644 src/cli/retriage.1 '$(TO)/share/man/man1/retriage.1'
	install -D -m 644 src/cli/completion.bash '$(TO)/share/bash-completion/completions/retriage'
	install -D -m 644 -t '$(TO)/share/retriage/schemas' $(SCHEMAS)
	install -D -m 644 $(LIB) '$(TO_LIB)/libretriage.a'
	install -D -m 644 $(SHLIB) '$(TO_LIB)/libretriage.so.$(VERSION)'
	ln -sf libretriage.so.$(VERSION) '$(TO_LIB)/libretriage.so.$(SOVERSION)'
	ln -sf libretriage.so.$(SOVERSION) '$(TO_LIB)/libretriage.so'
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))' \
		'Name: retriage' 'Description: offline engine for exported code-security findings' \
		'Version: $(VERSION)' 'Cflags: -I$${prefix}/include' \
		'Libs: -L$${libdir} -lretriage' 'Libs.private: $(shell $(PKG_CONFIG) --libs $(PKGS)) -pthread' | \
		install -D -m 644 /dev/stdin '$(TO_LIB)/pkgconfig/retriage.pc'
	@$(if $(DESTDIR),:,echo 'Programs find libretriage.so in $(LIBDIR) once ldconfig has run (as root).')

uninstall:
	rm -rf $(INSTALLED)

clean:
	rm -rf '$(BUILD)'

help:
	@printf '%s\n' \
		'all         $(BUILD)/retriage, libretriage.a and libretriage.so' \
		'demo        install what is missing, build, answer from a sample export' \
		'check       install what is missing, build with -Werror, run every test' \
		'lint        format, layers, headers, sizes, clang-tidy, cppcheck, -fanalyzer' \
		'install     into DESTDIR/PREFIX (default /usr/local), libraries into DESTDIR/LIBDIR' \
		'            (default PREFIX/lib); uninstall removes them' \
		'clean       remove BUILD' \
		$(CHECKS_HELP) \
		'' \
		'Variables: BUILD CC CFLAGS LDFLAGS SANITIZE HTTP WERROR PREFIX LIBDIR DESTDIR PYTHON JOBS V' \
		'EMULATOR runs what was built for another machine, in demo; nothing else that builds or installs' \
		'runs it: make CC=aarch64-linux-gnu-gcc PKG_CONFIG=aarch64-linux-gnu-pkg-config'

FORCE:

include tests/tests.mk
