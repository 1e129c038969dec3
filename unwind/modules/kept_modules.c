/* An array, the one that was put last at its end. */
#include "unwind/modules/kept_modules.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/modules/elf_module.h"

/* Each has an open file. */
#define KEPT_MAX 200
/* Of tables: two compilers, two interpreters and their libraries take a quarter. */
#define SIZE_MAX_ALL ((size_t)4 << 20)

struct kept_module {
	char *path;
	struct build_id build_id;
	struct elf_module *elf_module;
	size_t size;
};

struct kept_modules {
	struct kept_module modules[KEPT_MAX];
	size_t n;
	size_t size;
	size_t n_watched; /* also of modules that were taken */
};

struct kept_modules *kept_modules_create(void)
{
	return calloc(1, sizeof(struct kept_modules));
}

static struct kept_module remove_at(struct kept_modules *kept, size_t i)
{
	const struct kept_module removed = kept->modules[i];

	kept->n--;
	kept->size -= removed.size;
	memmove(&kept->modules[i], &kept->modules[i + 1], (kept->n - i) * sizeof(kept->modules[0]));
	free(removed.path);
	return removed;
}

static void destroy_module(struct kept_modules *kept, struct elf_module *elf_module)
{
	kept->n_watched -= elf_module_watches_file(elf_module);
	elf_module_destroy(elf_module);
}

void kept_modules_destroy(struct kept_modules *kept)
{
	while (kept && kept->n)
		destroy_module(kept, remove_at(kept, kept->n - 1).elf_module);
	free(kept);
}

/* What a recording carries of a file may be less than the file. */
static bool may_be_kept(const struct module *module)
{
	return module->key.kind == MODULE_ELF && module->key.build_id.size &&
	       module->located.image_fd < 0;
}

struct elf_module *kept_modules_take(struct kept_modules *kept, const struct module *module)
{
	size_t i = kept->n;

	if (!may_be_kept(module))
		return NULL;
	while (i > 0 &&
	       (!build_id_equal_exact(&kept->modules[i - 1].build_id, &module->key.build_id) ||
		strcmp(kept->modules[i - 1].path, module->key.path) != 0))
		i--;
	if (!i)
		return NULL;
	struct elf_module *elf_module = remove_at(kept, i - 1).elf_module;
	if (!elf_module_is_lasting(elf_module)) {
		destroy_module(kept, elf_module);
		return NULL;
	}
	elf_module_set_module(elf_module, module);
	return elf_module;
}

void kept_modules_watch(struct kept_modules *kept, const struct module *module,
			struct elf_module *elf_module)
{
	if (kept->n_watched >= KEPT_MAX || !may_be_kept(module))
		return;
	elf_module_watch_file(elf_module);
	kept->n_watched++;
}

void kept_modules_put(struct kept_modules *kept, const struct module *module,
		      struct elf_module *elf_module)
{
	const bool is_lasting = elf_module_is_lasting(elf_module);

	if (is_lasting)
		elf_module_set_module(elf_module, NULL);
	const struct kept_module added = {
		.path = is_lasting ? strdup(module->key.path) : NULL,
		.build_id = module->key.build_id,
		.elf_module = elf_module,
		.size = elf_module_size(elf_module),
	};

	if (!added.path || added.size > SIZE_MAX_ALL) {
		free(added.path);
		destroy_module(kept, elf_module);
		return;
	}
	while (kept->n == KEPT_MAX || kept->size + added.size > SIZE_MAX_ALL)
		destroy_module(kept, remove_at(kept, 0).elf_module);
	kept->modules[kept->n++] = added;
	kept->size += added.size;
}
