# One makefile, run from here.  `make help` lists the targets.

VERSION := 0.2
prefix      ?= /usr/local
bindir      ?= $(prefix)/bin
libdir      ?= $(prefix)/lib
includedir  ?= $(prefix)/include
datadir     ?= $(prefix)/share
mandir      ?= $(datadir)/man
bashcompdir ?= $(datadir)/bash-completion/completions
zshcompdir  ?= $(datadir)/zsh/site-functions
fishcompdir ?= $(datadir)/fish/vendor_completions.d
INSTALL     ?= install
PKG_CONFIG  ?= pkg-config

# DEVELOPER=1 makes warnings errors; SAN=address,undefined builds with sanitizers; B= is the
# folder to build in (each sanitizer set has its own, so that switching rebuilds nothing).
SAN   ?=
comma := ,
B     := build/$(if $(SAN),$(subst $(comma),-,$(SAN)),plain)
BIN   := $(abspath $(B))

# `make install` and `make static` take what was built, and the flags of the last build unless they are given
# others, whatever the environment is then, such as that of sudo.
BUILT_WITH := CC CFLAGS CPPFLAGS LDFLAGS LDLIBS DEVELOPER PKG_CFLAGS PKG_LIBS
ifeq ($(filter-out install install-strip uninstall static,$(or $(MAKECMDGOALS),all)),)
$(eval $(file <$(B)/flags))
ifneq ($(built.CC),)
$(foreach v,$(BUILT_WITH),$(if $(filter undefined default,$(origin $v)),$(eval $v = $$(built.$v))))
endif
endif
CFLAGS    ?= -O2 -g
DEVELOPER ?=

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
        -Wvla -Wwrite-strings -Wcast-qual
PKGS       := libzstd libxxhash libelf libdw liblzma zlib
PKG_STATIC := $(if $(filter -static%,$(LDFLAGS)),--static)
# others' headers are not held to our warnings
ifndef PKG_CFLAGS
PKG_CFLAGS := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null))
endif
ifndef PKG_LIBS
PKG_LIBS   := $(shell $(PKG_CONFIG) --libs $(PKG_STATIC) $(PKGS) 2>/dev/null)
endif
# only pp-top has a screen
ifndef SCREEN_LIBS
SCREEN_LIBS := $(shell $(PKG_CONFIG) --libs $(PKG_STATIC) ncursesw 2>/dev/null)
endif
# a tool loads only what it calls
LINK_LIBS   = -Wl,--as-needed $(PKG_LIBS) -liberty -lm -Wl,--exclude-libs,libiberty.a
SANFLAGS   := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)

# MemorySanitizer has to be told what those libraries fill that are built without it.
MEMHOOK    := $(if $(filter memory,$(SAN)),$(B)/tests/memcheck/unpoison.o)
MEMFLAGS   := $(if $(MEMHOOK),-Wl$(comma)@tests/memcheck/wraps)

ALL_CPPFLAGS = -I$(B)/include -Ilibpipe/include -Ilibpipe -Itools -D_GNU_SOURCE -DPP_UNSTABLE -DVERSION='"$(VERSION)"' $(PKG_CFLAGS) $(CPPFLAGS)
ALL_CFLAGS   = -std=gnu11 $(WARN) $(if $(DEVELOPER),-Werror) $(CFLAGS) $(SANFLAGS)

# A new source, tool or fuzz target is a new file; nothing here names one.
LIB     := $(sort $(filter-out libpipe/generate/%,$(wildcard libpipe/*/*.c)))
GENERATE := $(sort $(wildcard libpipe/generate/*.c))
TOOLS   := $(sort $(notdir $(basename $(wildcard tools/pp-*.c))))
SHARED  := $(sort $(filter-out tools/static/%,$(wildcard tools/*/*.c)))
TARGETS := $(sort $(filter-out replay,$(notdir $(basename $(wildcard tests/fuzz/*.c)))))
LIBO    := $(LIB:%.c=$(B)/%.o)
GENERATEO := $(GENERATE:%.c=$(B)/%.o)
SHAREDO := $(SHARED:%.c=$(B)/%.o)
REPLAYS := $(TARGETS:%=$(B)/tests/fuzz/replay-%)
FUZZERS := $(TARGETS:%=$(B)/tests/fuzz/fuzz-%)
PAGES   := $(B)/man/perf-pipe
SHIM    := $(B)/tests/faults/shim.so
FAKE    := $(B)/tests/fake/kernel.so

# The library as it is installed; what is linked whole, or watched by a sanitizer, has no shared one.
TYPES    := $(B)/include/perfpipe/types.h
LIBRARY  := $(B)/libperfpipe.a
SONAME   := libperfpipe.so.0
SHAREDLIB := $(if $(SAN)$(filter -static%,$(LDFLAGS)),,$(B)/$(SONAME))
# What is installed loads it: the tools here have their parts of the archive in them.
LOADED   := $(if $(SHAREDLIB),$(TOOLS:%=$(B)/shared/%))
# Streams made up for tests are no part of it.
MAN3     := $(B)/man3/.made
HEADERS  := $(filter-out %/generate.h %/damage.h,$(sort $(wildcard libpipe/include/perfpipe/*.h))) $(TYPES)

V ?= 0
Q := $(if $(filter 0,$(V)),@)
say = $(if $(filter 0,$(V)),@printf '  %-6s %s\n' '$(1)' '$(2)')
again = $(MAKE) --no-print-directory

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:

## all: build every tool (default)
.PHONY: all
all: $(TOOLS:%=$(B)/%) $(LIBRARY) $(SHAREDLIB) $(LOADED) $(MAN3)

# The flags of the last build: objects depend on them, so that a change of CC or CFLAGS rebuilds.
.PHONY: force
quote = $(subst \#,\\\#,$(subst $$,$$$$,$($1)))
define newline


endef
$(B)/flags: force
	@$(if $(PKG_LIBS),,echo 'make: pkg-config cannot find $(PKGS): tests/packages.sh build' \
		'installs what is missing' >&2; exit 1)
	$(shell mkdir -p $(@D))$(file >$@.new,$(foreach v,$(BUILT_WITH),built.$v := $(call quote,$v)$(newline)))
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi

# The numbers of the tables, for those who do not have the tables.
$(TYPES): libpipe/include/types.awk libpipe/format/records.def libpipe/format/features.def libpipe/format/attr.def
	$(call say,AWK,$@)
	@mkdir -p $(@D)
	$(Q)awk -f $^ >$@

# The page that shows a profile, as C.
PAGE := $(sort $(wildcard libpipe/export/page/*))
$(B)/include/export/page.inc: $(PAGE)
	$(call say,PAGE,$@)
	@mkdir -p $(@D)
	$(Q)libpipe/export/page/assemble.sh >$@
$(B)/libpipe/export/page.o: $(B)/include/export/page.inc

# One set of objects serves both libraries: where only what is public is visible, and nothing can be
# put in its place, position-independent code is as fast.
$(LIBO): ALL_CFLAGS += -fPIC -fvisibility=hidden -fno-semantic-interposition

$(B)/%.o: %.c $(B)/flags Makefile | $(TYPES)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(LIBRARY): $(LIBO)
$(B)/libgenerate.a: $(GENERATEO)
# what tools share, and parts of single ones: each takes what it calls, and loads what that needs
$(B)/libtools.a: $(SHAREDO)
$(LIBRARY) $(B)/libgenerate.a $(B)/libtools.a:
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# What reads ELF files is loaded by the shared library when it is needed: most stages have no use for it, and
# start sooner.
LOADS    := $(B)/shared/elfutils.o
$(LOADS): libpipe/elf/elfutils.c $(B)/flags Makefile | $(TYPES)
	$(call say,CC,$< (loads))
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) -DPP_LOADS $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
$(LOADS): ALL_CFLAGS += -fPIC -fvisibility=hidden -fno-semantic-interposition

# The symbols that the library shows, by node, from the declarations of the installed headers.
SYMBOLS  := $(B)/symbols.map
$(SYMBOLS): libpipe/include/symbols.awk $(HEADERS)
	$(call say,AWK,$@)
	$(Q)awk -f $^ >$@

# The stable interface, on which programs that were linked with the library rely.  A source that defines its
# functions, which do nothing, has its types and no others, with any compiler and any flags.
ABI      := abi/$(SONAME).abi
STABLE   := $(B)/stable/$(SONAME)
$(B)/stable/stable.c: libpipe/include/symbols.awk $(HEADERS)
	$(call say,AWK,$@)
	@mkdir -p $(@D)
	$(Q)awk -f $< -v stable=1 $(HEADERS) >$@
$(STABLE): $(B)/stable/stable.c
	$(call say,CC,$<)
	$(Q)$(CC) -std=gnu11 -w -g -O0 -fPIC -I$(B)/include -Ilibpipe/include -shared -Wl,-soname,$(SONAME) \
		-o $@ $<

## abi: write abi/libperfpipe.so.0.abi anew, after a deliberate change of the stable interface
.PHONY: abi
abi: $(STABLE)
	$(Q)abidw --type-id-style hash --no-architecture --no-corpus-path --no-comp-dir-path --no-show-locs \
		--no-elf-needed --no-parameter-names --no-write-default-sizes --out-file $(ABI) $(STABLE)

$(B)/$(SONAME): $(filter-out %/elf/elfutils.o,$(LIBO)) $(LOADS) $(SYMBOLS)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,-Bsymbolic-functions -Wl,-z,defs \
		-Wl,--version-script=$(SYMBOLS) -Wl,--no-undefined-version -o $@ $(filter %.o,$^) $(LDLIBS) \
		$(filter-out -lelf -ldw -llzma,$(LINK_LIBS))

$(LOADED): $(B)/shared/%: $(B)/tools/%.o $(B)/libtools.a $(B)/libgenerate.a $(SHAREDLIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) -Wl,--as-needed -lm $(SCREEN_LIBS)

$(TOOLS:%=$(B)/%): $(B)/%: $(B)/tools/%.o $(B)/libtools.a $(MEMHOOK) $(B)/libgenerate.a $(LIBRARY)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(MEMFLAGS) -o $@ $^ $(LDLIBS) $(LINK_LIBS) $(SCREEN_LIBS)

# All tools as one program that loads nothing: their objects, but for the names of their mains, and what
# dlopen() would find.  Which of the machine's archives are whole, link.sh finds out.
ONE      := $(B)/perfpipe
ONEO     := $(B)/tools/static/perfpipe.o $(B)/tools/static/linked_libraries.o
TREES    := $(B)/tools/static/elfutils_search.o
OBJCOPY  ?= objcopy
STRIP    ?= strip
TRACEEVENT = $(findstring /,$(shell $(CC) -print-file-name=libtraceevent.a))
ONE_LIBS = $(shell $(PKG_CONFIG) --libs --static $(PKGS) ncursesw) -liberty -lm $(if $(TRACEEVENT),-ltraceevent)

## static: make build/plain/perfpipe, all tools in one file that needs no library: perfpipe record ...
.PHONY: static
static: $(ONE)

$(B)/include/static/tools.inc: $(TOOLS:%=tools/%.c)
	$(call say,TOOLS,$@)
	@mkdir -p $(@D)
	$(Q)printf 'TOOL(%s)\n' $(TOOLS:pp-%=%) >$@
$(B)/tools/static/perfpipe.o: $(B)/include/static/tools.inc
$(B)/tools/static/linked_libraries.o: ALL_CPPFLAGS += $(if $(TRACEEVENT),-DPP_TRACEEVENT)

$(B)/static/%.o: $(B)/tools/%.o
	$(call say,RENAME,$@)
	@mkdir -p $(@D)
	$(Q)$(OBJCOPY) --redefine-sym main=$(subst -,_,$*)_main $< $@

$(ONE): tools/static/link.sh $(TREES) $(ONEO) $(TOOLS:%=$(B)/static/%.o) $(B)/libtools.a $(B)/libgenerate.a $(LIBRARY)
	$(call say,LD,$@)
	$(Q)CC='$(CC)' LDFLAGS='$(filter-out -static%,$(LDFLAGS))' LIBS='$(LDLIBS) $(ONE_LIBS)' $< $@ $(filter-out $<,$^)

## demo: from a fresh clone to a profile of this machine, as text and as a page (V=1: and what it holds)
.PHONY: demo
# only one that is quiet, and was not told how many jobs to run, runs one a processor
QUIETLY = $(if $(filter 0,$(V)),say= $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc)))
demo:
	$(Q)tests/packages.sh build demo
	@echo 'Building: a minute or two the first time; make demo V=1 shows each step.'
	+$(Q)$(again) all $(QUIETLY)
	$(Q)BIN='$(BIN)' V='$(V)' tests/demo.sh

# TIER=short leaves out the tests that only `make nightly` runs; files that are named run whole.
TIER ?= $(if $(T),all,short)

## test: install what the tests need, build, run the short tests
.PHONY: test
test:
	$(Q)tests/packages.sh build test newer
	+$(Q)$(again) check

## check: run the short tests (make check T=tests/tools/sort.bats: all tests of one file; TIER=all: all;
##        LIMIT=SECONDS: those of files that can be started until then)
.PHONY: check
T ?=
LIMIT ?=
check: all fuzz-objects
	$(Q)BIN='$(BIN)' TIER='$(TIER)' LIMIT='$(LIMIT)' tests/run.sh $(T)

## nightly: everything there is to check, also on other releases of Debian: hours
.PHONY: nightly
nightly:
	+$(Q)tests/nightly.sh $(STEPS)

## sanitize: run tests under ASan and UBSan: of formats, pipelines, seeds, and one file a tool; TIER=all: most tests
.PHONY: sanitize
SANITIZED   := $(wildcard tests/fuzz/*.bats tests/unit/*.bats tests/format/*.bats tests/pipeline/*.bats \
               tests/pipeline/*/*.bats $(TOOLS:pp-%=tests/tools/%.bats))
UNSANITIZED := tests/api/% tests/house/% tests/oracle/conformance/% $(addprefix tests/,$(addsuffix .bats, \
               faults/faults filter/expressions oracle/oracle pipeline/hosts))
ifeq ($(TIER),all)
SANITIZED   := $(wildcard tests/*/*.bats tests/*/*/*.bats)
endif
sanitize:
	+$(Q)$(again) check SAN=address,undefined CFLAGS='-O1 -g' TIER='$(TIER)' \
		T='$(or $(T),$(filter-out $(UNSANITIZED),$(SANITIZED)))'

# What tests preload: into the tools, to let their calls of libc fail; into recorders, as a kernel.
$(SHIM) $(FAKE): $(B)/%.so: %.c $(B)/flags Makefile
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) -std=gnu11 $(WARN) $(if $(DEVELOPER),-Werror) -O2 -g -fPIC -shared -o $@ $< -ldl

## faults: let every call of libc fail, one at a time, in every tool: minutes
##         SINCE=COMMIT: in tools whose code has changed since then, and a tenth of the rest
##         LIMIT=SECONDS: a tenth of all first, then as much as can be tried until then
.PHONY: faults
SINCE ?=
faults: all $(SHIM)
	$(Q)PLAIN='$(BIN)' SHIM='$(abspath $(SHIM))' tests/faults/run.sh matrix $(SINCE:%=--since %) $(LIMIT:%=--seconds %)

## clang: build everything with the second compiler, stacks filled with a pattern
.PHONY: clang
FILLED := CC=clang CFLAGS='-O2 -g -ftrivial-auto-var-init=pattern' B=build/pattern
clang:
	+$(Q)$(again) all fuzz-objects $(FILLED)

## memcheck: look for what is read and was never written, in every tool (SINCE and LIMIT as above): minutes
.PHONY: memcheck
memcheck: all $(SHIM)
	$(Q)tests/packages.sh build memcheck
	+$(Q)$(again) all CC=clang SAN=memory CFLAGS='-O1 -g -fsanitize-memory-track-origins'
	+$(Q)$(again) all $(FILLED)
	$(Q)PLAIN='$(BIN)' MEMORY='$(abspath build/memory)' PATTERN='$(abspath build/pattern)' \
		SHIM='$(abspath $(SHIM))' tests/faults/run.sh memcheck $(SINCE:%=--since %) $(LIMIT:%=--seconds %)

# What a function says of a stream is nothing to those that only look for a crash.
$(B)/tests/fuzz/%.o: ALL_CFLAGS += -Wno-unused-result

# make check feeds the seeds to each fuzz target through a main of its own, without libFuzzer.
$(REPLAYS): $(B)/tests/fuzz/replay-%: $(B)/tests/fuzz/%.o $(B)/tests/fuzz/replay.o $(LIBRARY)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(LINK_LIBS)

$(FUZZERS): $(B)/tests/fuzz/fuzz-%: $(B)/tests/fuzz/%.o $(LIBRARY)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LDLIBS) $(LINK_LIBS)

# All that is compiled and is no tool: the strict builds look at it too.
.PHONY: fuzz-objects
fuzz-objects: $(REPLAYS) $(PAGES) $(SHIM) $(FAKE) $(STABLE)

.PHONY: fuzzers
fuzzers: $(FUZZERS)

## fuzz: run each target of tests/fuzz for FUZZ_SECONDS (20) with libFuzzer, one a processor at a time
.PHONY: fuzz
FUZZ_SECONDS ?= 20
FUZZ_DIR     ?= build/fuzz
fuzz:
	$(Q)tests/packages.sh build fuzz
	+$(Q)$(again) fuzzers CC=clang SAN=fuzzer-no-link,address,undefined CFLAGS='-O1 -g' B=$(FUZZ_DIR)
	$(Q)tests/fuzz/run.sh $(FUZZ_DIR) $(FUZZ_SECONDS) $(TARGETS)

## bench: measure the tools beside cat, perf and zstd, or those of BASE=COMMIT; ONLY=floor or other sections
.PHONY: bench
BENCHES := $(B)/tests/bench/spent $(B)/tests/bench/floor
bench: all $(BENCHES)
	$(Q)tests/packages.sh bench
	$(Q)BIN='$(BIN)' perl tests/bench/bench.pl

$(BENCHES): %: %.o
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $<

fuzz-objects: $(BENCHES)
-include $(BENCHES:=.d)

## mapped: list the faults of FAULTS (a list in Markdown), each with the tests that show it
.PHONY: mapped
FAULTS ?= ../shared/faults.md
mapped:
	$(Q)perl tests/house/mapped.pl '$(FAULTS)' tests/*/*.bats tests/*/*/*.bats

## compare: run many command lines with the tools of another build, BEFORE=DIR, and with these
.PHONY: compare
compare: all
	$(Q)tests/compare.sh '$(BEFORE)' '$(BIN)'

## mend-survey: damage and mend large streams of many shapes; print how many samples arrive
.PHONY: mend-survey
mend-survey: all
	$(Q)BIN='$(BIN)' tests/bench/mend-survey.sh

## soak: record all CPUs through nearly all stages for SOAK_SECONDS (600); print what passed them
.PHONY: soak
soak: all
	$(Q)BIN='$(BIN)' tests/bench/soak.sh

# perf-pipe(5) is written by a program, out of the tables and a frame; the page is kept in the tree,
# so that nothing but this target needs to make it.
$(PAGES): $(B)/man/perf-pipe.o $(LIBRARY)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(LINK_LIBS)

# A page for each header, out of the header, also as perfpipe-HEADER; each function has a page that leads
# to its header's.
$(MAN3): libpipe/include/page.awk $(HEADERS)
	$(call say,AWK,$(@D))
	$(Q)rm -rf $(@D) && mkdir -p $(@D)
	$(Q)for h in $(basename $(notdir $(HEADERS))); do \
		page=perfpipe_$$h; header=libpipe/include/perfpipe/$$h.h; \
		[ $$h != perfpipe ] || page=perfpipe; [ $$h != types ] || header=$(TYPES); \
		awk -v page=$$page -f $< $$header >$(@D)/$$page.3 || exit 1; \
		for name in $$(sed -n 's/^\.Nm \(pp_[a-z0-9_]*\).*/\1/p' $(@D)/$$page.3); do \
			echo ".so man3/$$page.3" >$(@D)/$$name.3; done; \
		[ $$h = perfpipe ] || echo ".so man3/$$page.3" >$(@D)/perfpipe-$$h.3; done
	$(Q)touch $@

## man: write perf-pipe(5) anew from the tables, check the manual pages with mandoc
.PHONY: man
MAN := $(sort $(wildcard tools/*.1 man/*.5 man/*.7))
man: $(PAGES) $(MAN3)
	$(Q)$(PAGES) man/perf-pipe.5.in >$(B)/man/perf-pipe.5
	$(Q)cmp -s $(B)/man/perf-pipe.5 man/perf-pipe.5 || cp $(B)/man/perf-pipe.5 man/perf-pipe.5
	$(Q)mandoc -T lint -W warning $(MAN) $(B)/man3/perfpipe.3 $(B)/man3/perfpipe_*.3

## picture: make the README's picture anew: a page, in a browser, of a recording that is kept in tests/streams
.PHONY: picture
picture: $(B)/pp-flame
	$(Q)$< --title 'a program that writes invoices' -o $(B)/picture.html tests/streams/picture.pipe
	$(Q)printf '%s\n' 'size 1000 700' 'move 330 410' 'shot docs/page.png' | \
		perl tests/browser/drive.pl $(B)/picture.html

# Installed tools load the shared library if the loader looks for it where it is installed: none is told where,
# since that (RUNPATH) is not for one that has privileges.  Where it does not, as in ~/.local/lib, they have
# their parts of the library in them, and where it does, but only root can have it look anew.
SYSTEM  := PATH="$$PATH:/sbin:/usr/sbin"
SEARCHED = $(SYSTEM) ldconfig -N -X -v 2>/dev/null | sed -n 's/^\(\/[^:]*\):.*/\1/p' | \
	xargs -d '\n' realpath -m | grep -qxF "$$(realpath -m '$(libdir)')"
STRIPPED :=
put_tools = $(INSTALL) $(STRIPPED) $(TOOLS:%=$1/%) '$(DESTDIR)$(bindir)'

## install: install tools, man pages, completions, SQL and library under $(DESTDIR)$(prefix);
##          install-strip: the same without symbols
.PHONY: install install-strip
install-strip:
	+$(Q)$(again) install STRIPPED=-s
install: all
	$(Q)$(INSTALL) -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(libdir)/pkgconfig' '$(DESTDIR)$(includedir)/perfpipe'
	$(Q)$(INSTALL) -m 644 $(LIBRARY) '$(DESTDIR)$(libdir)'
	$(Q)[ -z '$(STRIPPED)' ] || $(STRIP) --strip-debug '$(DESTDIR)$(libdir)/$(notdir $(LIBRARY))'
	$(Q)[ -z '$(SHAREDLIB)' ] || { $(INSTALL) $(STRIPPED) $(SHAREDLIB) '$(DESTDIR)$(libdir)' && \
		ln -sf $(SONAME) '$(DESTDIR)$(libdir)/libperfpipe.so'; }
	$(Q)[ -n '$(DESTDIR)' ] || $(SYSTEM) ldconfig 2>/dev/null || : # only root may
	$(Q)if [ -n '$(LOADED)' ] && $(SEARCHED); then $(call put_tools,$(B)/shared); else $(call put_tools,$(B)); fi
	$(Q)[ -n '$(DESTDIR)' ] || '$(bindir)/pp-cat' --version >/dev/null 2>&1 || $(call put_tools,$(B))
	$(Q)$(INSTALL) -m 644 $(HEADERS) '$(DESTDIR)$(includedir)/perfpipe'
	$(Q)sed -e 's|@VERSION@|$(VERSION)|' -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(libdir)|' \
		-e 's|@includedir@|$(includedir)|' -e 's|@PKGS@|$(PKGS)|' libpipe/perfpipe.pc.in \
		>'$(DESTDIR)$(libdir)/pkgconfig/perfpipe.pc'
	$(Q)chmod 644 '$(DESTDIR)$(libdir)/pkgconfig/perfpipe.pc'
	$(Q)for m in $(MAN); do \
		$(INSTALL) -D -m 644 $$m '$(DESTDIR)$(mandir)'/man$${m##*.}/$${m##*/} || exit 1; done
	$(Q)$(INSTALL) -d '$(DESTDIR)$(mandir)/man3'
	$(Q)$(INSTALL) -m 644 $(B)/man3/*.3 '$(DESTDIR)$(mandir)/man3'
	$(Q)$(INSTALL) -D -m 644 docs/fleet.sql '$(DESTDIR)$(datadir)/perfpipe/fleet.sql'
	$(Q)$(INSTALL) -D -m 644 docs/fleet-clickhouse.sql '$(DESTDIR)$(datadir)/perfpipe/fleet-clickhouse.sql'
	$(Q)[ ! -f completions/pp.zsh ] || \
		$(INSTALL) -D -m 644 completions/pp.zsh '$(DESTDIR)$(zshcompdir)/_pp'
	$(Q)for t in $(TOOLS); do \
		[ ! -f completions/pp.bash ] || \
			$(INSTALL) -D -m 644 completions/pp.bash '$(DESTDIR)$(bashcompdir)'/$$t || exit 1; \
		[ ! -f completions/pp.fish ] || \
			$(INSTALL) -D -m 644 completions/pp.fish '$(DESTDIR)$(fishcompdir)'/$$t.fish || exit 1; done

## uninstall: remove what install put there
.PHONY: uninstall
uninstall: $(MAN3)
	$(Q)for t in $(TOOLS); do rm -f '$(DESTDIR)$(bindir)'/$$t '$(DESTDIR)$(bashcompdir)'/$$t \
		'$(DESTDIR)$(fishcompdir)'/$$t.fish; done
	$(Q)for m in $(MAN) $(B)/man3/*.3; do rm -f '$(DESTDIR)$(mandir)'/man$${m##*.}/$${m##*/}; done
	$(Q)rm -f '$(DESTDIR)$(zshcompdir)/_pp' '$(DESTDIR)$(libdir)/pkgconfig/perfpipe.pc' \
		'$(DESTDIR)$(libdir)/libperfpipe.a' '$(DESTDIR)$(libdir)/$(SONAME)' '$(DESTDIR)$(libdir)/libperfpipe.so'
	$(Q)rm -rf '$(DESTDIR)$(includedir)/perfpipe' '$(DESTDIR)$(datadir)/perfpipe'

# One commit is packed to the same bytes with any umask, settings of git, time zone and number of processors.
DIST ?= build/perfpipe-$(VERSION).tar.xz
PACK := xz -6 -T1

## dist: make build/perfpipe-VERSION.tar.xz of the last commit; it is built and tested without git
.PHONY: dist
dist:
	$(Q)mkdir -p '$(dir $(DIST))'
	$(Q)git -c tar.umask=0022 archive --format=tar --prefix=perfpipe-$(VERSION)/ -o '$(DIST:.xz=)' HEAD
	$(Q)[ -z "$$(git status --porcelain)" ] || echo 'make: $(DIST) lacks the changes that are not committed' >&2
	$(Q)$(PACK) -f '$(DIST:.xz=)'

## clean: remove everything that was built
.PHONY: clean
clean:
	$(Q)rm -rf build

## help: show this list
.PHONY: help
help:
	@sed -nE 's/^## ([a-z-]+): /  \1\t/p; s/^## {3,}/\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 14

-include $(LIBO:.o=.d) $(GENERATEO:.o=.d) $(SHAREDO:.o=.d) $(TOOLS:%=$(B)/tools/%.d)
-include $(LOADS:.o=.d) $(ONEO:.o=.d) $(TREES:.o=.d) $(PAGES:=.d) $(B)/tests/fuzz/replay.d $(TARGETS:%=$(B)/tests/fuzz/%.d)
