# dendro: `make demo` sets up, builds, records and reports; `make test` sets up and tests.
#
#   make            build/dendro                    make test     install what tests need, run all
#   make demo       set up, record, report          make asan     tests under ASan and UBSan
#   make install    DESTDIR= prefix=                make lint     format, tidy, cppcheck, includes
#   make bench      ratios against perf             make fuzz     FUZZ_SECONDS= for each parser
#   make deps       install what building needs     make accuracy complete paths, beside perf and gdb
#   make test-hw    the arm64 part of make test      make feedback compilers' profiles, with speed-up
#   make static     build/dendro-static, one file that needs no library
#   make deb        build/deb/, packages for Debian
#   make clean
#
# Build options: CC, CFLAGS, DEVELOPER=1 (warnings are errors), BUILD (output folder).

VERSION  := 0.1
comma    := ,
BUILD    ?= build
CC       ?= gcc
CXX      ?= g++
STRIP    ?= strip
CFLAGS   ?= -O2 -g
prefix   ?= /usr/local
bindir   ?= $(prefix)/bin
mandir   ?= $(prefix)/share/man
unitdir  ?= $(prefix)/lib/systemd/system
libdir   ?= $(prefix)/lib
includedir ?= $(prefix)/include
pythondir  ?= $(prefix)/lib/python3/dist-packages
# make predefines CC as cc.
ifeq ($(origin CC),default)
CC := gcc
endif

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla \
	    -Wformat=2 -Wundef -Wwrite-strings -Wimplicit-fallthrough
ifeq ($(DEVELOPER),1)
WARNINGS += -Werror
endif
# The same objects make the program and the library, which exports only what its header declares.
SHAREABLE  := -fPIC -fvisibility=hidden
LANGUAGE   := -std=gnu17 -D_GNU_SOURCE -DDENDRO_VERSION='"$(VERSION)"' -I.
ALL_CFLAGS := $(LANGUAGE) $(WARNINGS) -MMD -MP $(CFLAGS) $(SHAREABLE)
# Optional, for dendro browse. The compiler in use must find it.
NCURSES    := $(shell printf '\043include <curses.h>\nint main(void) { return get_wch(0) == ERR; }' | \
		$(CC) -D_GNU_SOURCE -x c -o /dev/null - -lncursesw 2>/dev/null && echo -lncursesw)
# Optional, for dendro export --format sqlite.
SQLITE     := $(shell printf '\043include <sqlite3.h>\nint main(void) { return sqlite3_initialize(); }' | \
		$(CC) -x c -o /dev/null - -lsqlite3 2>/dev/null && echo -lsqlite3)
# Optional, for dendro push: a program of its own.
CURL       := $(shell printf '\043include <curl/curl.h>\nint main(void) { return !curl_version(); }' | \
		$(CC) -x c -o /dev/null - -lcurl 2>/dev/null && echo -lcurl)
LIBS       := -ltraceevent -ldw -lelf -llzma -lzstd -ldeflate -lz -liberty -lpthread -ldl -lm $(NCURSES) $(SQLITE)

FOLDERS  := perf cct unwind kernel-merge report collector
WITHOUT  := report/browse/$(if $(NCURSES),no,browse)_screen.c \
	    $(if $(NCURSES),,report/browse/screen_terminal.c) \
	    report/changes/$(if $(NCURSES),no_changes,changes)_screen.c \
	    $(addprefix report/formats/,$(if $(SQLITE),no_sqlite.c,sqlite.c sqlite_rows.c sqlite_schema.c)) \
	    report/verify/verify_$(if $(SQLITE),no_)sqlite.c
SOURCES  := $(filter-out collector/send/% collector/main.c collector/static_program.c $(WITHOUT),$(sort $(shell find $(FOLDERS) -name '*.c')))
HEADERS  := $(sort $(shell find $(FOLDERS) -name '*.h'))
OBJECTS  := $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/report/html/page_bytes.o \
	    $(BUILD)/collector/completion/script_bytes.o $(BUILD)/collector/schema/schema_bytes.o
ARCHIVE  := $(BUILD)/libdendro.a
# The library for other programs (cct/api/dendro.h), beside the archive of all objects, which is for
# links of this build alone.
API      := cct/api
SONAME   := libdendro.so.0
LIBRARY  := $(BUILD)/library/libdendro.so.$(VERSION)
UNIT     := $(patsubst %.c,$(BUILD)/%,$(sort $(shell find tests/unit -name 'test_*.c')))
FIXTURES := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/unit/fixtures/*.c))
CLI      := $(sort $(wildcard tests/cli/[0-9]*.bats))
HW       := $(sort $(wildcard tests/hw/*.bats))
JOBS     := $(shell nproc)
SEND     := $(if $(CURL),$(BUILD)/dendro-send)
SEND_SOURCES := $(sort $(wildcard collector/send/*.c))

# .ci/run sets TESTS_UNTIL: when no test file starts any more.
UNTIL    := $(if $(TESTS_UNTIL),--until $(TESTS_UNTIL))
# tests/run starts files in the order given: what takes longest first, or it ends alone.
LONGEST       := 0920-packages.bats 0795-agent.bats 0945-clickhouse.bats 0755-page-of-changes.bats \
		 0750-page.bats 0710-from-perf.bats 0679-diff.bats 0400-agreement.bats 0950-from-db.bats \
		 0670-archive.bats 0646-values.bats 0649-follow.bats 0648-split.bats 0322-probe-values.bats \
		 0660-files.bats 0770-browse.bats 0295-stacks.bats 0905-library.bats 0940-push.bats \
		 0690-kernel-names.bats 0411-gdb-values.bats 0330-off-cpu.bats 0520-every-option.bats \
		 test_steps_throw test_steps_frames
longest_first  = $(foreach name,$(LONGEST),$(filter %/$(name),$(1))) \
		 $(filter-out $(LONGEST:%=\%/%),$(1))

.PHONY: all static deb deps unit workloads demo test test-hw asan lint bench feedback accuracy fuzz install uninstall \
	clean
all: $(BUILD)/dendro $(LIBRARY) $(SEND)
unit: $(UNIT)

$(BUILD)/dendro: $(BUILD)/collector/main.o $(ARCHIVE)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(LIBRARY): $(filter $(BUILD)/collector/library/%,$(OBJECTS)) $(ARCHIVE) $(API)/dendro.map
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script,$(API)/dendro.map \
		-Wl,--no-undefined -Wl,--as-needed -o $@ $(filter-out %.map,$^) $(LIBS)
	ln -sf $(@F) $(@D)/$(SONAME)
	ln -sf $(SONAME) $(@D)/libdendro.so

$(BUILD)/dendro-send: $(SEND_SOURCES:%.c=$(BUILD)/%.o) $(ARCHIVE)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(CURL) -lzstd -lz

# Static archives name no libraries that they need: libdw needs libbz2, libncursesw libtinfo.
static:
	tests/deps/install build static
	$(MAKE) $(BUILD)/dendro-static
STATIC_WRAP := $(addprefix -Wl$(comma)--wrap=,dlopen dlsym dlclose dlerror getpwnam)
STATIC_LIBS := $(LIBS) -lpfm -lcapstone -lbz2 $(if $(NCURSES),-ltinfo)
$(BUILD)/dendro-static: $(BUILD)/collector/main.o $(BUILD)/collector/static_program.o $(ARCHIVE)
	$(CC) $(CFLAGS) $(LDFLAGS) -static $(STATIC_WRAP) -o $@.whole $^ \
		-Wl,--start-group $(STATIC_LIBS) -Wl,--end-group
	$(STRIP) -o $@ $@.whole
	rm $@.whole

deb:
	tests/deps/install build deb
	docs/packaging/build_deb $(BUILD)/deb

$(ARCHIVE): $(OBJECTS)
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

# The pages of report --html and diff --html: modules become one script, in the order in which they
# need each other; the content security policy has the hashes of the script and of the style.
PAGE         := $(BUILD)/report/html
PAGE_MODULES := payload steps text elements search shape costs trees errors state made colors graph table crumbs chips keys pane marks heat timeline quality code page save actions main
COMPARISON_MODULES := $(addprefix page/,payload steps text elements search shape costs trees errors state made colors graph table crumbs chips keys pane marks heat timeline code save) \
	$(addprefix diff/,comparison times distributions statistics selected tested_tree change_tree change_state change_table runs change_code change_page change_actions start)
join_modules  = { echo '(() => {'; echo '"use strict";'; sed -e '/^import /d' -e 's/^export //' $^; echo '})();'; } > $@
$(PAGE)/page.js: $(PAGE_MODULES:%=report/html/page/%.js)
	@mkdir -p $(@D)
	$(join_modules)
$(PAGE)/comparison.js: $(COMPARISON_MODULES:%=report/html/%.js)
	@mkdir -p $(@D)
	$(join_modules)
$(PAGE)/comparison.css: report/html/page/style.css report/html/diff/changes.css
	@mkdir -p $(@D)
	cat $^ > $@
$(PAGE)/page.html: report/html/page/template.html report/html/page/style.css $(PAGE)/page.js \
		report/html/page/join
	report/html/page/join report/html/page/template.html report/html/page/style.css \
		$(PAGE)/page.js > $@.new
	mv $@.new $@
$(PAGE)/comparison.html: report/html/diff/template.html $(PAGE)/comparison.css \
		$(PAGE)/comparison.js report/html/page/join
	report/html/page/join report/html/diff/template.html $(PAGE)/comparison.css \
		$(PAGE)/comparison.js > $@.new
	mv $@.new $@
$(PAGE)/page_bytes.o: report/html/page_bytes.S $(PAGE)/page.html $(PAGE)/comparison.html
	$(CC) -c -Wa,-I$(PAGE) -o $@ $<

COMPLETION := collector/completion
$(BUILD)/$(COMPLETION)/script_bytes.o: $(COMPLETION)/script_bytes.S $(wildcard $(COMPLETION)/dendro.*)
	@mkdir -p $(@D)
	$(CC) -c -Wa,-I$(COMPLETION) -o $@ $<
SCHEMA := collector/schema
$(BUILD)/$(SCHEMA)/schema_bytes.o: $(SCHEMA)/schema_bytes.S $(wildcard $(SCHEMA)/version_*.sql)
	@mkdir -p $(@D)
	$(CC) -c -Wa,-I$(SCHEMA) -o $@ $<

$(BUILD)/tests/unit/%: tests/unit/%.c $(BUILD)/tests/unit/fixtures.a $(ARCHIVE)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.c %.a,$^) -lcmocka $(LIBS)
$(BUILD)/tests/unit/fixtures.a: $(FIXTURES)
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/tests/bench/large_page $(BUILD)/tests/bench/large_comparison $(BUILD)/tests/bench/browse_keys $(BUILD)/tests/bench/change_keys: \
	tests/bench/large_profile.c
$(BUILD)/tests/bench/%: tests/bench/%.c $(ARCHIVE)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.c %.a,$^) $(LIBS)

# Checks walks at gdb's stops: unwinds what tests/oracle/gdb_stops/stop_and_walk.py wrote.
# And the values of their variables.
UNWIND_CASES := $(BUILD)/tests/oracle/unwind_cases
VALUE_CASES  := $(BUILD)/tests/oracle/value_cases
WINDOWS      := $(BUILD)/tests/bench/windows
$(UNWIND_CASES) $(VALUE_CASES): $(BUILD)/tests/oracle/%: tests/oracle/gdb_stops/%.c tests/oracle/gdb_stops/cases.c $(ARCHIVE)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.c %.a,$^) $(LIBS)

# Compares dendro's names for addresses with those of other tools (tests/accuracy/names).
NAME_ADDRESSES := $(BUILD)/tests/accuracy/name_addresses
$(NAME_ADDRESSES): tests/accuracy/name_addresses.c $(ARCHIVE)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< $(ARCHIVE) $(LIBS)

deps:
	tests/deps/install build

# Programs whose call paths and shares are known: plain -O2, no frame pointers, no debug
# information, whatever the build under test is; each with a stripped twin.
W              := build/workloads
WORKLOAD_FLAGS := -O2 -fomit-frame-pointer -Wall -Wextra
WORKLOAD_NAMES := altstack controlled counted deep descents dispatch epochs family faulter figure1 forker forkexec in_step mappings off_cpu phases processes reader \
		  recursion reload resources signals sorter stack_holes threads
WORKLOADS      := $(WORKLOAD_NAMES:%=$(W)/%) $(W)/cxx $(W)/no_cfi $(W)/libalpha.so \
		  $(W)/libgamma.so $(W)/libpreload.so $(W)/libtee_stream.so

workloads: $(WORKLOADS) $(patsubst $(W)/%,$(W)/stripped/%,$(WORKLOADS))

$(WORKLOAD_NAMES:%=$(W)/%): $(W)/%: tests/workloads/%.c tests/workloads/work.h tests/workloads/watched.h tests/workloads/one_processor.h
	@mkdir -p $(@D)
	gcc -std=gnu17 -D_GNU_SOURCE $(WORKLOAD_FLAGS) -o $@ $< -lpthread -ldl
$(W)/cxx: tests/workloads/cxx.cpp tests/workloads/work.h
	@mkdir -p $(@D)
	g++ $(WORKLOAD_FLAGS) -o $@ $<
$(W)/no_cfi: tests/workloads/no_cfi.c tests/workloads/no_cfi.S tests/workloads/work.h
	@mkdir -p $(@D)
	gcc -std=gnu17 -D_GNU_SOURCE $(WORKLOAD_FLAGS) -fno-asynchronous-unwind-tables \
		-fno-unwind-tables -o $@ $(filter %.c %.S,$^)
$(W)/lib%.so: tests/workloads/reload_library.c tests/workloads/work.h
	@mkdir -p $(@D)
	gcc -std=gnu17 -D_GNU_SOURCE $(WORKLOAD_FLAGS) -Wl,--build-id -DNAME=$* -shared -fPIC -o $@ $<
$(W)/libpreload.so: tests/workloads/preload.c tests/workloads/work.h
	@mkdir -p $(@D)
	gcc -std=gnu17 -D_GNU_SOURCE $(WORKLOAD_FLAGS) -shared -fPIC -o $@ $<
$(W)/libtee_stream.so: tests/workloads/tee_stream.c
	@mkdir -p $(@D)
	gcc -std=gnu17 -D_GNU_SOURCE $(WORKLOAD_FLAGS) -shared -fPIC -o $@ $< -ldl
$(W)/stripped/%: $(W)/%
	@mkdir -p $(@D)
	strip -o $@ $<

# Everything here may start on a bare Debian: install first, then build in a separate make.
demo:
	tests/deps/install build
	$(MAKE) all $(W)/dispatch $(W)/reader
	tests/demo $(BUILD)/dendro $(W)

test:
	tests/deps/install build static test hw
	tests/deps/npm/install
	$(MAKE) -j$(JOBS) all $(BUILD)/dendro-static unit workloads $(UNWIND_CASES) $(VALUE_CASES) $(WINDOWS)
	tests/run $(UNTIL) $(HW) $(call longest_first,$(UNIT) $(CLI))

# On arm64, emulated; what has to be fetched for that stays in build/hw.
test-hw:
	tests/deps/install hw
	tests/run $(HW)

# Unit tests, and reading recordings, under AddressSanitizer and UndefinedBehaviorSanitizer.
ASAN_CFLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
# What reads files from outside, writes formats, and watches programs while it records; and every
# option once. Workloads with known shares, and what other tools are asked for, take long and add
# little here.
ASAN_CLI    := $(foreach number,0250 0280 0285 0296 0297 0298 0300 0320 0330 05 061 062 063 064[06] 0650 \
		 066 067[4678],$(sort $(wildcard tests/cli/$(number)*.bats)))
asan:
	tests/deps/install build test asan
	$(MAKE) -j$(JOBS) all unit BUILD=build-asan CFLAGS="$(ASAN_CFLAGS)"
	$(MAKE) -j$(JOBS) workloads
	ASAN_OPTIONS=abort_on_error=0:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1 \
		DENDRO=$(CURDIR)/build-asan/dendro \
		tests/run --title "under ASan and UBSan" $(UNTIL) \
		$(call longest_first,$(UNIT:$(BUILD)/%=build-asan/%) $(ASAN_CLI))

# One stamp per file, so that only what changed is looked at again.
C_FILES  := $(sort $(SOURCES) $(if $(CURL),$(SEND_SOURCES)) collector/main.c collector/static_program.c $(HEADERS) $(shell find tests/unit -name '*.[ch]') $(wildcard tests/fuzz/*.[ch] tests/bench/*.[ch] tests/bench/feedback/*.c tests/accuracy/*.c \
	      tests/oracle/gdb_stops/*.[ch] tests/workloads/*.[ch] tests/workloads/*.cpp tests/bench/*.cpp \
	      tests/workloads/languages/*.c docs/examples/*.c))
UNIT_HEADERS := $(shell find tests/unit -name '*.h')
WARNED   := $(patsubst %.c,$(BUILD)/lint/%.warned,$(sort $(shell find tests/unit -name '*.c')))
# Clang's analyzer gives up on a function after so many states. With its default, 225 000, most of
# the time goes to the few functions that have more in any case.
ANALYZED := -Xclang -analyzer-config -Xclang max-nodes=60000
TIDIED   := $(patsubst %.c,$(BUILD)/lint/%.tidy,$(filter %.c,$(filter-out tests/% docs/%,$(C_FILES))))
SCRIPTS  := .ci/run docs/packaging/build_deb docs/packaging/debian/dendro.config docs/packaging/debian/dendro.postinst docs/packaging/debian/dendro.postrm docs/packaging/debian/dendro-agent.postrm docs/packaging/arch/PKGBUILD tests/demo tests/cli/until_worked tests/cli/without_tracefs tests/cli/clients/see_kcachegrind tests/deps/install tests/deps/npm/install tests/deps/perfparser tests/deps/profgen_inputs tests/deps/source report/html/page/join tests/lint/page/check tests/fuzz/run \
	    tests/hw/guest tests/hw/init $(sort $(wildcard tests/hw/*.job)) \
	    $(sort $(wildcard tests/hw/*.bash tests/cli/*.bash tests/bench/*.sh)) tests/bench/page tests/bench/feedback/run
lint:
	tests/deps/install build test lint
	tests/deps/npm/install
	$(MAKE) -k -j$(JOBS) format tree scripts page cppcheck tidy clang
.PHONY: format tree scripts page cppcheck tidy clang
format:
	clang-format --dry-run -Werror $(C_FILES)
tree:
	tests/lint/check_tree
	tests/lint/check_markdown
scripts:
	shellcheck $(wildcard $(SCRIPTS))
# The modules of the page, one by one and joined.
page: $(PAGE)/page.html $(PAGE)/comparison.html
	tests/lint/page/check $(PAGE)/page.js $(PAGE)/comparison.js
cppcheck:
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
		--suppressions-list=tests/lint/cppcheck --error-exitcode=1 -I. $(FOLDERS)
# Clang's warnings: of the unit tests here, of all else with the checks of clang-tidy.
clang: $(WARNED)
$(BUILD)/lint/%.warned: %.c $(HEADERS) $(UNIT_HEADERS)
	@mkdir -p $(@D)
	clang -fsyntax-only -Werror $(LANGUAGE) $(WARNINGS) $<
	@touch $@
tidy: $(TIDIED)
$(BUILD)/lint/%.tidy: %.c .clang-tidy $(HEADERS)
	@mkdir -p $(@D)
	clang-tidy --quiet $< -- $(LANGUAGE) $(WARNINGS) $(ANALYZED)
	@touch $@

# Prints; asserts nothing.
bench:
	tests/deps/install build bench
	$(MAKE) all $(W)/forker $(W)/cxx $(BUILD)/tests/bench/cfi_cost $(BUILD)/tests/bench/large_page \
		$(BUILD)/tests/bench/compress_threads $(BUILD)/tests/bench/many_cpus \
		$(BUILD)/tests/bench/large_comparison $(BUILD)/tests/bench/browse_keys $(BUILD)/tests/bench/change_keys
	tests/bench/run $(BUILD)/dendro
	tests/bench/page $(BUILD)/tests/bench/large_page $(BUILD)/tests/bench/large_comparison
	$(BUILD)/tests/bench/browse_keys 1100000
	$(BUILD)/tests/bench/change_keys 1100000

# Prints; asserts nothing. Programs that are built with profiles of their runs.
feedback:
	tests/deps/install build bench
	$(MAKE) all
	tests/bench/feedback/run $(BUILD)/dendro

# Prints; what compilers and programs are not installed is left out, and said. The steps alone are
# judged: none may be wrong.
accuracy:
	tests/deps/install build test accuracy
	$(MAKE) all $(UNWIND_CASES) $(VALUE_CASES) $(NAME_ADDRESSES) $(BUILD)/tests/unit/steps/test_steps_strings
	tests/accuracy/names $(NAME_ADDRESSES)
	tests/accuracy/run $(BUILD)/dendro
	tests/accuracy/pairs $(BUILD)/dendro
	tests/accuracy/gdb $(UNWIND_CASES)
	tests/accuracy/values $(VALUE_CASES)
	tests/accuracy/distortion $(BUILD)/dendro
	tests/accuracy/followed $(BUILD)/dendro
	$(BUILD)/tests/unit/steps/test_steps_strings all

FUZZ_SECONDS ?= 60
FUZZERS      := $(patsubst tests/fuzz/%.c,build-fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_FLAGS   := -O1 -g -fsanitize=address,undefined
build-fuzz/fuzz_event: LDFLAGS += -Wl,--wrap=late_library_open
build-fuzz/fuzz_%: tests/fuzz/fuzz_%.c build-fuzz/libdendro.a
	clang $(LANGUAGE) -MMD -MP $(FUZZ_FLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $(filter %.c %.a,$^) $(LIBS)
# The archive of another build: a make of its own knows what it depends on. Asked each time, so that
# one fuzzer by its name is made of what is there, too.
ifneq ($(BUILD),build-fuzz)
.PHONY: fuzz-archive
build-fuzz/libdendro.a: fuzz-archive
fuzz-archive:
	$(MAKE) BUILD=build-fuzz CC=clang CFLAGS="$(FUZZ_FLAGS) -fsanitize=fuzzer-no-link" \
	  build-fuzz/libdendro.a
endif
fuzz:
	tests/deps/install build fuzz
	$(MAKE) -j$(JOBS) $(FUZZERS)
	tests/fuzz/run $(FUZZ_SECONDS) $(FUZZERS)

MAN  := $(wildcard docs/man/*.1)
MAN5 := $(wildcard docs/man/*.5)
bash_completion := $(prefix)/share/bash-completion/completions/dendro
zsh_completion  := $(prefix)/share/zsh/site-functions/_dendro
fish_completion := $(prefix)/share/fish/vendor_completions.d/dendro.fish
UNITS := $(notdir $(wildcard docs/systemd/*))
UNIT_FILES := $(UNITS:%=$(DESTDIR)$(unitdir)/%)
PC_FILE := $(DESTDIR)$(libdir)/pkgconfig/dendro.pc
# Units start the program where it is installed.
install: all
	install -D -m 755 $(BUILD)/dendro $(DESTDIR)$(bindir)/dendro
	$(if $(SEND),install -D -m 755 $(SEND) $(DESTDIR)$(prefix)/libexec/dendro/dendro-send)
	install -d $(DESTDIR)$(unitdir)
	$(foreach unit,$(UNITS),sed 's|^ExecStart=[^ ]*|ExecStart=$(bindir)/dendro|' docs/systemd/$(unit) >$(DESTDIR)$(unitdir)/$(unit);)
	chmod 644 $(UNIT_FILES)
	install -d $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(mandir)/man5
	install -m 644 $(MAN) $(DESTDIR)$(mandir)/man1
	install -m 644 $(MAN5) $(DESTDIR)$(mandir)/man5
	install -D -m 644 $(COMPLETION)/dendro.bash $(DESTDIR)$(bash_completion)
	install -D -m 644 $(COMPLETION)/dendro.zsh $(DESTDIR)$(zsh_completion)
	install -D -m 644 $(COMPLETION)/dendro.fish $(DESTDIR)$(fish_completion)
	install -D -m 644 $(LIBRARY) $(DESTDIR)$(libdir)/$(notdir $(LIBRARY))
	ln -sf $(notdir $(LIBRARY)) $(DESTDIR)$(libdir)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(libdir)/libdendro.so
	install -D -m 644 $(API)/dendro.h $(DESTDIR)$(includedir)/dendro.h
	install -d $(DESTDIR)$(libdir)/pkgconfig
	sed -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(libdir)|' -e 's|@includedir@|$(includedir)|' \
		-e 's|@version@|$(VERSION)|' $(API)/dendro.pc.in >$(PC_FILE)
	chmod 644 $(PC_FILE)
	install -D -m 644 $(API)/dendro.py $(DESTDIR)$(pythondir)/dendro.py
uninstall:
	rm -f $(addprefix $(DESTDIR)$(libdir)/,$(notdir $(LIBRARY)) $(SONAME) libdendro.so) $(PC_FILE) \
		$(DESTDIR)$(includedir)/dendro.h $(DESTDIR)$(pythondir)/dendro.py
	rm -f $(DESTDIR)$(bindir)/dendro $(DESTDIR)$(prefix)/libexec/dendro/dendro-send $(UNIT_FILES) $(MAN:docs/man/%=$(DESTDIR)$(mandir)/man1/%) \
		$(MAN5:docs/man/%=$(DESTDIR)$(mandir)/man5/%) \
		$(DESTDIR)$(bash_completion) $(DESTDIR)$(zsh_completion) $(DESTDIR)$(fish_completion)

clean:
	rm -rf build build-*

-include $(OBJECTS:.o=.d) $(SEND_SOURCES:%.c=$(BUILD)/%.d) $(BUILD)/collector/main.d $(BUILD)/collector/static_program.d $(UNIT:=.d) $(UNWIND_CASES).d $(NAME_ADDRESSES).d $(FIXTURES:.o=.d) $(FUZZERS:=.d)
