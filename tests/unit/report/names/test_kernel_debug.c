/*
 * Debug information of a made-up kernel and a module of it, built by this system's compiler, for
 * names that were recorded somewhere else than the file has them.
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

#include "cct/object/elf_image.h"
#include "cct/object/module_file.h"
#include "report/names/kernel_debug.h"
#include "report/names/symbolize.h"
#include "tests/unit/fixtures/scripted_folder.h"

#define N_FUNCTIONS  20
#define RECORDED     0xffffffff9a000000ull
#define INLINED_LINE 1
#define CALLER_LINE  2 /* of kernel_0; the others follow */

static char folder[] = "/tmp/dendro-kernel-debug.XXXXXX";

static const char script[] =
	"set -e\n"
	"{ echo 'static inline __attribute__((always_inline)) void inlined(volatile int *x)"
	" { *x += 1; }'\n"
	"for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do\n"
	"echo \"__attribute__((noinline)) int kernel_$i(int n)"
	" { volatile int x = n; inlined(&x); return x * $i; }\"\n"
	"done; } >kernel.c\n"
	"flags='-O2 -g -fno-pic -ffreestanding -fcf-protection=none -ffunction-sections'\n"
	"gcc $flags -c -o kernel.o kernel.c\n"
	"ld --build-id -e kernel_0 -Ttext=0x1000000 -o vmlinux kernel.o\n"
	"ld --build-id=none -e kernel_0 -Ttext=0x1000000 -o anonymous kernel.o\n"
	"ld -r --build-id -o module.ko kernel.o\n"
	"objcopy --strip-debug vmlinux stripped\n"
	"echo text >text\n"
	"xz -k module.ko\n";

static int make_files(void **state)
{
	(void)state;
	elf_version(EV_CURRENT);
	return scripted_folder_make(folder, script, "gcc, ld or xz");
}

static int remove_files(void **state)
{
	(void)state;
	return scripted_folder_remove(folder);
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void need_files(void)
{
	if (access(path_of("module.ko.xz"), F_OK) != 0)
		skip();
}

/* Where the file has its functions, and its build ID. */
struct functions {
	uint64_t vaddr[N_FUNCTIONS], size[N_FUNCTIONS];
	struct build_id build_id;
};

static void read_symbols(Elf *elf, struct functions *functions)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header = { 0 };

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			break;
	}
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;
	for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
		int n;

		if (sscanf(name, "kernel_%d", &n) != 1)
			continue;
		functions->vaddr[n] = symbol.st_value;
		functions->size[n] = symbol.st_size;
	}
}

static void read_functions(const char *name, struct functions *functions)
{
	int fd = open(path_of(name), O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);

	memset(functions, 0, sizeof(*functions));
	elf_build_id(elf, &functions->build_id);
	read_symbols(elf, functions);
	elf_end(elf);
	close(fd);
}

struct fixture {
	struct functions functions;
	struct profile *profile;
	struct module *module;
	uint64_t offset[N_FUNCTIONS]; /* as recorded */
};

/* Recorded @apart bytes from each other, or where the file has them. */
static struct fixture *recorded(const char *file, const char *path, uint64_t apart)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct functions *functions = &fixture->functions;

	read_functions(file, functions);
	fixture->profile = profile_create();
	fixture->profile->info.os_release = strdup("0.0-none");
	struct module_key key = { .kind = MODULE_KERNEL,
				  .path = path,
				  .build_id = functions->build_id,
				  .base = RECORDED };
	uint32_t id = module_table_add(&fixture->profile->modules, &key);
	fixture->module = module_table_get(&fixture->profile->modules, id);
	fixture->module->symbols = symbol_table_create();
	for (int i = 0; i < N_FUNCTIONS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "kernel_%d", i);
		fixture->offset[i] = apart ? i * apart : functions->vaddr[i] - 0x1000000;
		symbol_table_add(fixture->module->symbols, fixture->offset[i], 0, name,
				 strlen(name));
	}
	symbol_table_sort(fixture->module->symbols);
	return fixture;
}

static void free_fixture(struct fixture *fixture)
{
	profile_destroy(fixture->profile);
	free(fixture);
}

/* How many functions have their inlined one in them, everything where it should be. */
static int count_inlines(const struct fixture *fixture, const char *vmlinux)
{
	const struct symbolizer_options options = { .vmlinux = vmlinux, .lines = true };
	struct symbolizer *symbolizer = symbolizer_create(fixture->profile, &options);
	int n_found = 0;

	for (int i = 0; i < N_FUNCTIONS; i++) {
		bool is_found = false;
		char expected[32];

		snprintf(expected, sizeof(expected), "kernel_%d", i);
		for (uint64_t at = 0; at < fixture->functions.size[i]; at++) {
			const struct frame frame = { .kind = FRAME_KERNEL,
						     .module = fixture->module->id,
						     .offset = fixture->offset[i] + at };
			const struct frame_name *names;
			size_t n_names;

			assert_int_equal(symbolizer_expand(symbolizer, &frame, &names, &n_names),
					 0);
			assert_string_equal(names[0].name, expected);
			if (n_names < 2)
				continue;
			assert_int_equal(n_names, 2);
			assert_string_equal(names[1].name, "inlined");
			assert_true(names[1].is_inlined);
			assert_int_equal(names[1].line, INLINED_LINE);
			assert_int_equal(names[0].line, CALLER_LINE + i);
			is_found = true;
		}
		n_found += is_found;
	}
	symbolizer_destroy(symbolizer);
	return n_found;
}

static const char *refusal(const struct fixture *fixture, const char *name)
{
	return symbolizer_refuses_vmlinux(fixture->profile, path_of(name));
}

static void a_kernel_is_found_again_at_the_address_it_was_moved_to(void **state)
{
	(void)state;
	need_files();
	struct fixture *fixture = recorded("vmlinux", "[kernel.kallsyms]", 0);

	assert_null(refusal(fixture, "vmlinux"));
	assert_int_equal(count_inlines(fixture, path_of("vmlinux")), N_FUNCTIONS);
	free_fixture(fixture);
}

static void another_build_is_refused(void **state)
{
	(void)state;
	need_files();
	struct fixture *fixture = recorded("vmlinux", "[kernel.kallsyms]", 0);

	fixture->module->key.build_id.bytes[3] ^= 1;
	assert_non_null(strstr(refusal(fixture, "vmlinux"), "build ID"));
	assert_int_equal(count_inlines(fixture, path_of("vmlinux")), 0);
	assert_non_null(strstr(refusal(fixture, "anonymous"), "build ID"));
	free_fixture(fixture);
}

static void without_a_build_id_functions_must_be_where_they_were(void **state)
{
	(void)state;
	need_files();
	struct fixture *fixture = recorded("vmlinux", "[kernel.kallsyms]", 0);
	struct symbol *symbols = fixture->module->symbols->symbols;

	fixture->module->key.build_id.size = 0;
	assert_null(refusal(fixture, "anonymous"));
	assert_int_equal(count_inlines(fixture, path_of("anonymous")), N_FUNCTIONS);
	symbols[N_FUNCTIONS - 1].offset += 4;
	assert_non_null(strstr(refusal(fixture, "anonymous"), "do not match"));
	free_fixture(fixture);
}

static void a_vmlinux_is_refused_if_the_recording_has_no_kernel_symbols(void **state)
{
	(void)state;
	need_files();
	struct fixture *fixture = recorded("vmlinux", "[kernel.kallsyms]", 0);

	fixture->module->symbols->n_symbols = 0;
	assert_non_null(strstr(refusal(fixture, "vmlinux"), "no kernel symbols"));
	free_fixture(fixture);
}

static void modules_have_functions_that_were_moved_each_for_itself(void **state)
{
	static const char *const files[] = { "module.ko", "module.ko.xz" };

	(void)state;
	need_files();
	for (size_t i = 0; i < 2; i++) {
		struct fixture *fixture = recorded("module.ko", path_of(files[i]), 0x10000);

		assert_int_equal(count_inlines(fixture, NULL), N_FUNCTIONS);
		fixture->module->key.build_id.bytes[3] ^= 1;
		assert_int_equal(count_inlines(fixture, NULL), 0);
		free_fixture(fixture);
	}
}

static void what_is_no_kernel_is_refused(void **state)
{
	static const char *const names[] = { "text", "missing", ".", "module.ko.xz" };

	(void)state;
	need_files();
	struct fixture *fixture = recorded("vmlinux", "[kernel.kallsyms]", 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_non_null(refusal(fixture, names[i]));
		assert_int_equal(count_inlines(fixture, path_of(names[i])), 0);
	}
	assert_non_null(symbolizer_refuses_vmlinux(fixture->profile, "/dev/zero"));
	assert_int_equal(count_inlines(fixture, path_of("stripped")), 0);
	free_fixture(fixture);
}

/* The first @size bytes of a file, the one at @at turned over. */
static void damage(const char *from, size_t size, size_t at)
{
	static unsigned char bytes[1 << 20];
	int in = open(path_of(from), O_RDONLY | O_CLOEXEC);
	ssize_t n = read(in, bytes, sizeof(bytes));
	int out = open(path_of("damaged.ko"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(n > 0 && (size_t)n > at);
	bytes[at] = (unsigned char)~bytes[at];
	n = (size_t)n < size ? n : (ssize_t)size;
	assert_int_equal(write(out, bytes, (size_t)n), n);
	close(in);
	close(out);
}

/* What is inlined may be lost; names are the recorded ones. */
static void damaged_files_do_no_harm(void **state)
{
	const struct symbolizer_options options = { .vmlinux = NULL };

	(void)state;
	need_files();
	for (size_t at = 0; at < 3000; at += 7) {
		damage("module.ko", at % 2 ? SIZE_MAX : 3 * at + 64, at);
		struct fixture *fixture = recorded("module.ko", path_of("damaged.ko"), 0x10000);
		struct symbolizer *symbolizer = symbolizer_create(fixture->profile, &options);
		const struct frame frame = { .kind = FRAME_KERNEL,
					     .module = fixture->module->id,
					     .offset = 0x10004 };
		const struct frame_name *names;
		size_t n_names;

		assert_int_equal(symbolizer_expand(symbolizer, &frame, &names, &n_names), 0);
		assert_string_equal(names[0].name, "kernel_1");
		symbolizer_destroy(symbolizer);
		free_fixture(fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_is_found_again_at_the_address_it_was_moved_to),
		cmocka_unit_test(another_build_is_refused),
		cmocka_unit_test(without_a_build_id_functions_must_be_where_they_were),
		cmocka_unit_test(a_vmlinux_is_refused_if_the_recording_has_no_kernel_symbols),
		cmocka_unit_test(modules_have_functions_that_were_moved_each_for_itself),
		cmocka_unit_test(what_is_no_kernel_is_refused),
		cmocka_unit_test(damaged_files_do_no_harm),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
