#include "cct/model/known_names.h"

#include <errno.h>
#include <stdlib.h>

struct known_names {
	struct module_table modules;
	struct stored_names *names; /* by their numbers in ->modules */
};

struct known_names *known_names_create(void)
{
	struct known_names *known = calloc(1, sizeof(*known));

	if (!known)
		return NULL;
	known->names = stored_names_create();
	if (!known->names || module_table_init(&known->modules)) {
		known_names_destroy(known);
		return NULL;
	}
	return known;
}

void known_names_destroy(struct known_names *known)
{
	if (!known)
		return;
	stored_names_destroy(known->names);
	module_table_deinit(&known->modules);
	free(known);
}

uint32_t known_names_number(struct known_names *known, const struct module *module)
{
	if (module->key.kind != MODULE_ELF || !module->key.build_id.size)
		return 0;
	return module_table_add(&known->modules, &module->key);
}

static int copy_text(const struct stored_names *from, struct stored_names *into, uint32_t *text)
{
	return stored_names_add_text(into, stored_names_text(from, *text), text);
}

static int copy_call(const struct stored_names *from, struct stored_names *into,
		     const struct stored_call *call)
{
	struct stored_call copy = *call;
	int err = copy_text(from, into, &copy.name);

	if (!err)
		err = copy_text(from, into, &copy.decl_file);
	if (!err)
		err = copy_text(from, into, &copy.file);
	if (!err)
		err = copy_text(from, into, &copy.directory);
	return err ? err : stored_names_add_call(into, &copy);
}

/* In the order in which they are found, so that texts get the same numbers. */
static int copy_code(const struct stored_names *from, struct stored_names *into,
		     const struct stored_code *code, uint32_t module)
{
	struct stored_code copy = *code;
	int err = copy_text(from, into, &copy.symbol);

	copy.module = module;
	copy.first_call = into->n_calls;
	for (uint32_t i = 0; !err && i < code->n_calls; i++)
		err = copy_call(from, into, &from->calls[code->first_call + i]);
	return err ? err : stored_names_add_code(into, &copy);
}

int known_names_take(const struct known_names *known, uint32_t number, uint64_t offset,
		     uint32_t module, struct stored_names *names)
{
	const struct stored_code *code = stored_names_find(known->names, number, offset);

	if (!code)
		return 0;
	int err = copy_code(known->names, names, code, module);
	return err ? err : 1;
}

const struct stored_lack *known_names_lack(const struct known_names *known, uint32_t number,
					   uint8_t lack, const char **text_ret)
{
	const struct stored_lack *found = stored_names_find_lack(known->names, number, lack);

	if (found)
		*text_ret = stored_names_text(known->names, found->text);
	return found;
}

int known_names_keep(struct known_names *known, uint32_t number, const struct stored_names *names,
		     const struct stored_code *code)
{
	if (stored_names_find(known->names, number, code->offset))
		return 0;
	return copy_code(names, known->names, code, number);
}

int known_names_keep_lack(struct known_names *known, uint32_t number,
			  const struct stored_lack *lack, const char *text)
{
	struct stored_lack copy = *lack;

	if (stored_names_find_lack(known->names, number, lack->lack))
		return 0;
	copy.module = number;
	int err = stored_names_add_text(known->names, text, &copy.text);
	return err ? err : stored_names_add_lack(known->names, &copy);
}
