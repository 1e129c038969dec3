#include "tests/oracle/gdb_stops/cases.h"

#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

void give_up(const char *what)
{
	fprintf(stderr, "gdb_stops: %s\n", what);
	exit(2);
}

/* All processes of a boot have the same one. */
static int own_vdso(void)
{
	const uint8_t *vdso = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	int fd = memfd_create("vdso", MFD_CLOEXEC);
	const Elf64_Ehdr *header = (const void *)vdso;

	if (!vdso || fd < 0)
		return -1;
	size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	return write(fd, vdso, size) == (ssize_t)size ? fd : -1;
}

static uint32_t add_module(struct cases *cases, const char *path, struct mapping *mapping)
{
	struct module_key key = { .kind = MODULE_ELF, .path = path };
	bool is_vdso = !strcmp(path, "[vdso]");

	if (is_vdso)
		key.kind = MODULE_VDSO;
	else if (path[0] != '/') {
		key = (struct module_key){ .kind = MODULE_ANON, .path = "//anon" };
		mapping->offset = mapping->start;
	}
	if (key.kind == MODULE_ANON && !mapping->is_exec)
		return 0;
	uint32_t id = module_table_add(&cases->modules, &key);
	struct module *module = module_table_get(&cases->modules, id);
	if (is_vdso && module->located.image_fd < 0)
		module->located.image_fd = own_vdso();
	return id;
}

static void read_maps(struct cases *cases, const char *name)
{
	char line[PATH_MAX + 128];

	if (!strcmp(name, cases->maps))
		return;
	snprintf(cases->maps, sizeof(cases->maps), "%s", name);
	address_space_unref(cases->space);
	cases->space = address_space_create();
	FILE *maps = fopen(name, "re");
	if (!maps || !cases->space)
		give_up(name);
	while (fgets(line, sizeof(line), maps)) {
		char path[PATH_MAX] = "", permissions[8];
		struct mapping mapping = { 0 };

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095[^\n]", &mapping.start, &mapping.end,
			   permissions, &mapping.offset, path) < 4)
			give_up(line);
		mapping.is_exec = permissions[2] == 'x';
		mapping.module = add_module(cases, path, &mapping);
		if (address_space_map(&cases->space, &mapping))
			give_up("out of memory");
	}
	fclose(maps);
}

static void read_stop(struct cases *cases)
{
	const struct arch *arch = &arch_x86_64;
	struct user_stack *stack = &cases->stack;
	uint64_t value;

	*stack = (struct user_stack){ .arch = arch, .bytes = cases->bytes };
	for (unsigned reg = 0; reg < arch->n_regs; reg++) {
		if (fscanf(cases->file, "%" SCNx64, &value) != 1)
			give_up("a case lacks registers");
		regs_set(&stack->regs, reg, value);
	}
	stack->regs.pc = stack->regs.values[arch->ra];
	if (fscanf(cases->file, "%zu", &stack->size) != 1 || stack->size > STACK_MAX ||
	    fgetc(cases->file) != '\n' ||
	    fread(cases->bytes, 1, stack->size, cases->file) != stack->size)
		give_up("a case lacks its stack");
	stack->is_full = stack->size == STACK_MAX;
}

bool cases_next(struct cases *cases)
{
	char name[PATH_MAX];

	if (fscanf(cases->file, " maps %4095s stop", name) != 1)
		return false;
	read_maps(cases, name);
	read_stop(cases);
	return true;
}

void cases_init(struct cases *cases, const char *path)
{
	*cases->maps = 0;
	cases->space = NULL;
	cases->file = fopen(path, "re");
	if (!cases->file)
		give_up(path);
	if (module_table_init(&cases->modules))
		give_up("out of memory");
}

void cases_deinit(struct cases *cases)
{
	address_space_unref(cases->space);
	module_table_deinit(&cases->modules);
	fclose(cases->file);
}
