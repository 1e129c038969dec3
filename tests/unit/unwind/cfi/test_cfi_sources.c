/*
 * CFI where it may be besides .eh_frame: .debug_frame, compressed in either way, packed into
 * .gnu_debugdata, in a separate debug file; made by the compiler and objcopy of this system.
 */
#include <fcntl.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cct/model/module.h"
#include "tests/unit/fixtures/scripted_folder.h"
#include "unwind/cfi/cfi.h"

static char folder[] = "/tmp/dendro-cfi-sources.XXXXXX";

/* Builds a library without .eh_frame for its function, and variants of it. */
static const char script[] =
	"set -e\n"
	"echo 'int other(int); int function(int n) { volatile int a[9]; a[n] = other(n);"
	" return a[n] + 1; }' >source.c\n"
	"gcc -shared -fPIC -O1 -g -nostdlib -fno-asynchronous-unwind-tables -fno-unwind-tables"
	" -fcf-protection=none -Wl,--build-id -o plain source.c\n"
	"objcopy --compress-debug-sections=zlib plain compressed\n"
	"objcopy --compress-debug-sections=zlib-gnu plain compressed-gnu\n"
	"objcopy --strip-debug plain none\n"
	"objcopy --only-keep-debug plain packed.debug\n"
	"xz -k packed.debug\n"
	"objcopy --add-section .gnu_debugdata=packed.debug.xz none packed\n"
	"mkdir -p .debug\n"
	"cp packed.debug .debug/linked.debug\n"
	"objcopy --add-gnu-debuglink=.debug/linked.debug none linked\n"
	"gcc -shared -fPIC -O1 -g -nostdlib -fno-asynchronous-unwind-tables -fno-unwind-tables"
	" -Dother=another -Wl,--build-id -o stranger source.c\n"
	"objcopy --add-gnu-debuglink=.debug/linked.debug --strip-debug stranger strange\n";

static int make_files(void **state)
{
	(void)state;
	return scripted_folder_make(folder, script, "gcc, objcopy or xz");
}

static int remove_files(void **state)
{
	(void)state;
	return scripted_folder_remove(folder);
}

static bool is_made(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/strange", folder);
	return access(path, F_OK) == 0;
}

/* The middle of the code: .text is the function alone. */
static uint64_t code_address(Elf *elf)
{
	Elf_Scn *section = NULL;
	uint64_t vaddr = 0;
	GElf_Shdr header;
	size_t names;

	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    !strcmp(elf_strptr(elf, names, header.sh_name), ".text"))
			vaddr = header.sh_addr + header.sh_size / 2;
	return vaddr;
}

static void expect(const char *name, enum rule_kind kind, const char *source)
{
	char path[64];
	struct rule rule;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	elf_version(EV_CURRENT);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(elf);
	const struct module module = { .key = { .kind = MODULE_ELF, .path = path } };
	struct cfi *cfi = cfi_create(elf, &module);
	assert_non_null(cfi);
	cfi_find_rule(cfi, &arch_x86_64, code_address(elf), &rule);
	if (rule.kind != kind)
		print_error("%s: rule of kind %d\n", name, rule.kind);
	assert_int_equal(rule.kind, kind);
	const char *found = cfi_section(cfi, code_address(elf));
	if (source)
		assert_string_equal(found, source);
	else
		assert_null(found);
	cfi_destroy(cfi);
	elf_end(elf);
	close(fd);
}

static void debug_frame_is_found_wherever_it_is(void **state)
{
	static const struct {
		const char *name, *source;
	} files[] = {
		{ "plain", ".debug_frame" },
		{ "compressed", ".debug_frame" },
		{ "compressed-gnu", ".debug_frame" },
		{ "packed", ".debug_frame in .gnu_debugdata" },
		{ "linked", ".debug_frame of the debug file" },
	};

	(void)state;
	if (!is_made())
		skip();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		expect(files[i].name, RULE_CFA_REGISTER, files[i].source);
	expect("none", RULE_NONE, NULL);
}

static void a_debug_file_of_another_build_is_not_used(void **state)
{
	(void)state;
	if (!is_made())
		skip();
	expect("strange", RULE_NONE, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(debug_frame_is_found_wherever_it_is),
		cmocka_unit_test(a_debug_file_of_another_build_is_not_used),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
