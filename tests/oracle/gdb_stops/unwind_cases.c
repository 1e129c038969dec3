/*
 * unwind_cases FILE: unwinds the cases that stop_and_walk.py wrote and prints, for each, what gdb
 * and we see:
 *
 *	case REASON_OF_GDB END_OF_OURS
 *	ADDRESS_OF_GDB NAME ADDRESS_OF_OURS MODULE OFFSET HAS_CFI	(- where it is missing)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/oracle/gdb_stops/cases.h"
#include "unwind/modules/elf_modules.h"
#include "unwind/rules/rule.h"

#define FRAMES_MAX 4096
#define NAME_SIZE  256

struct walks {
	struct cases cases;
	struct elf_modules *elf_modules;
	struct unwinder *unwinder;
	struct frame frames[FRAMES_MAX];
	uint64_t addrs[FRAMES_MAX];
	char end[NAME_SIZE];
};

static size_t unwind(struct walks *walks)
{
	struct unwind_result result;
	size_t n_frames =
		unwind_user_stack(walks->unwinder, walks->cases.space, &walks->cases.stack,
				  walks->frames, walks->addrs, FRAMES_MAX, &result);

	snprintf(walks->end, sizeof(walks->end), "%s",
		 result.end == UNWIND_ROOT ? "root" : marker_name(unwind_end_marker(result.end)));
	return n_frames;
}

static void print_ours(const struct walks *walks, size_t i)
{
	const struct frame *frame = &walks->frames[i];
	const struct module *module = module_table_get(&walks->cases.modules, frame->module);

	struct elf_module *elf_module = elf_modules_get(walks->elf_modules, frame->module);
	struct rule rule = { .kind = RULE_NONE };

	if (elf_module)
		elf_module_find_rule(elf_module, walks->cases.stack.arch, frame->offset, &rule);
	printf(" %" PRIx64 " %s %" PRIx64 " %s\n", walks->addrs[i], module ? module->key.path : "?",
	       frame->offset, rule.kind == RULE_NONE ? "no" : "yes");
}

static void compare(struct walks *walks)
{
	size_t n_ours = unwind(walks), n_gdb, i;
	char text[NAME_SIZE];
	uint64_t addr;

	if (fscanf(walks->cases.file, " gdb %255s %zu", text, &n_gdb) != 2)
		give_up("a case lacks gdb's frames");
	printf("case %s %s\n", text, walks->end);
	for (i = 0; i < n_gdb; i++) {
		if (fscanf(walks->cases.file, "%" SCNx64 " %255s", &addr, text) != 2)
			give_up("a case lacks gdb's frames");
		printf("%" PRIx64 " %s", addr, text);
		if (i < n_ours)
			print_ours(walks, i);
		else
			puts(" - - - -");
	}
	for (; i < n_ours; i++) {
		fputs("- -", stdout);
		print_ours(walks, i);
	}
}

int main(int argc, char **argv)
{
	static struct walks walks;

	if (argc != 2)
		give_up("usage: unwind_cases FILE");
	cases_init(&walks.cases, argv[1]);
	walks.elf_modules = elf_modules_create(&walks.cases.modules);
	walks.unwinder = walks.elf_modules ? unwinder_create(walks.elf_modules) : NULL;
	if (!walks.unwinder)
		give_up("out of memory");
	while (cases_next(&walks.cases))
		compare(&walks);
	unwinder_destroy(walks.unwinder);
	elf_modules_destroy(walks.elf_modules);
	cases_deinit(&walks.cases);
	return 0;
}
