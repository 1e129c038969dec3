/*
 * A hostile ELF file named by the whole symbolizer: symbols, PLT, FDEs, debug information, names of
 * every kind demangled; and by the names that BOLT gives. Input: the file.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cct/model/profile.h"
#include "report/feedback/bolt_symbols.h"
#include "report/names/symbolize.h"

#define N_PLACES 128 /* in the whole file, and as many from the usual place of code on */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* The text that report/demangle/demangle.c has for decoded identifiers that are too long. */
const char *__lsan_default_suppressions(void)
{
	return "leak:print_ident\n";
}

static size_t name_at(struct symbolizer *symbolizer, uint32_t module, uint64_t offset)
{
	const struct frame frame = { .kind = FRAME_USER, .module = module, .offset = offset };
	const struct frame_name *names;
	size_t n_names, length = 0;

	if (symbolizer_expand(symbolizer, &frame, &names, &n_names))
		abort();
	if (!n_names)
		abort();
	for (size_t i = 0; i < n_names; i++) {
		length += strlen(names[i].name) + strlen(names[i].module);
		length += names[i].file ? strlen(names[i].file) : 0;
		length += names[i].directory ? strlen(names[i].directory) : 0;
	}
	return length;
}

static void name_all(const struct profile *profile, uint32_t module, size_t size, bool no_inlines)
{
	struct symbolizer *symbolizer = symbolizer_create(
		profile, &(struct symbolizer_options){ .no_inlines = no_inlines });
	struct symbol_problem problem;
	size_t length = 0;

	if (!symbolizer)
		return;
	for (size_t i = 0; i < N_PLACES; i++) {
		length += name_at(symbolizer, module, size * i / N_PLACES);
		length += name_at(symbolizer, module, 0x1000 + i * 3);
	}
	symbolizer_problems(symbolizer, &problem, 1);
	__asm__ volatile("" : : "r"(length));
	symbolizer_destroy(symbolizer);
}

/* Each function is found at its first byte, unless another one begins there. */
static void name_for_bolt(int fd, size_t size)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	struct bolt_symbols symbols;

	if (elf && elf_kind(elf) == ELF_K_ELF && bolt_symbols_init(&symbols, elf) == 0) {
		for (size_t i = 0; i < symbols.n; i++) {
			const struct bolt_function *function = &symbols.functions[i];
			const struct bolt_function *found =
				bolt_symbols_find(&symbols, function->start);

			if (bolt_symbols_can_name(function) && strlen(function->name) > size)
				abort();
			if (function->start < function->end && found != function &&
			    i + 1 < symbols.n && function[1].start != function->start)
				abort();
		}
		bolt_symbols_deinit(&symbols);
	}
	elf_end(elf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct module_key key = { .kind = MODULE_ELF, .path = "/nonexistent/file" };
	struct profile *profile;
	struct module *module;
	int fd;

	if (size < sizeof(Elf32_Ehdr) || memcmp(data, ELFMAG, SELFMAG) != 0)
		return 0;
	profile = profile_create();
	fd = memfd_create("hostile", MFD_CLOEXEC);
	if (!profile || fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	elf_version(EV_CURRENT);
	name_for_bolt(fd, size);
	module = module_table_get(&profile->modules, module_table_add(&profile->modules, &key));
	if (!module)
		abort();
	module->located.image_fd = fd;
	name_all(profile, module->id, size, true);
	name_all(profile, module->id, size, false);
	profile_destroy(profile);
	return 0;
}
