#include "cct/model/module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"

int module_table_init(struct module_table *table)
{
	*table = (struct module_table){ .n_modules = 1 };
	/* Zero pages cost nothing until they are used; calloc() may clear memory that was used. */
	void *pages = mmap(NULL, MODULES_MAX * sizeof(*table->modules), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pages == MAP_FAILED)
		return -ENOMEM;
	table->modules = pages;
	return 0;
}

static void module_destroy(struct module *module)
{
	if (!module)
		return;
	located_file_deinit(&module->located);
	symbol_table_destroy(module->symbols);
	line_table_destroy(module->lines);
	inline_table_destroy(module->inlines);
	free((char *)module->key.path);
	free(module);
}

void module_table_deinit(struct module_table *table)
{
	for (uint32_t i = 1; table->modules && i < table->n_modules; i++)
		module_destroy(table->modules[i]);
	if (table->modules)
		munmap(table->modules, MODULES_MAX * sizeof(*table->modules));
	hash_table_deinit(&table->by_key);
	for (size_t i = 0; i < table->n_texts; i++)
		free(table->texts[i]);
	free(table->texts);
	*table = (struct module_table){ 0 };
}

static uint32_t module_key_hash(const struct module_key *key)
{
	uint64_t hash = hash_text(HASH_START ^ key->kind, key->path);

	hash = hash_bytes(hash, key->build_id.bytes, key->build_id.size);
	return hash_pair(hash, key->build_id.size ? 0 : key->inode);
}

static bool module_key_equal(const struct module_key *a, const struct module_key *b)
{
	if (a->kind != b->kind || !build_id_equal_exact(&a->build_id, &b->build_id) ||
	    strcmp(a->path, b->path) != 0)
		return false;
	if (a->build_id.size)
		return true;
	return a->dev_major == b->dev_major && a->dev_minor == b->dev_minor &&
	       a->inode == b->inode && a->inode_generation == b->inode_generation;
}

static bool slot_is_used(const void *slot)
{
	return *(const uint32_t *)slot != 0;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	const struct module_table *table = owner;

	return module_key_equal(&table->modules[*(const uint32_t *)slot]->key, key);
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	const struct module_table *table = owner;

	return module_key_hash(&table->modules[*(const uint32_t *)slot]->key);
}

static const struct hash_table_type modules_by_key = {
	.slot_size = sizeof(uint32_t),
	.first_slots = 128,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

static struct module *module_create(const struct module_key *key)
{
	struct module *module = calloc(1, sizeof(*module));
	char *path = strdup(key->path);

	if (!module || !path) {
		free(module);
		free(path);
		return NULL;
	}
	module->key = *key;
	module->key.path = path;
	return module;
}

uint32_t module_table_add(struct module_table *table, const struct module_key *key)
{
	uint32_t hash = module_key_hash(key);
	const uint32_t *known = hash_table_find(&table->by_key, &modules_by_key, hash, key, table);

	if (known)
		return *known;
	if (table->n_modules == MODULES_MAX ||
	    hash_table_reserve(&table->by_key, &modules_by_key, 1, table))
		return 0;
	struct module *module = module_create(key);
	if (!module)
		return 0;
	uint32_t id = table->n_modules++;
	module->id = id;
	located_file_init(&module->located, table->files);
	table->modules[id] = module;
	uint32_t *slot = hash_table_insert(&table->by_key, &modules_by_key, hash, table);
	*slot = id;
	return id;
}

int module_table_take_text(struct module_table *table, char *text)
{
	if (array_reserve_one(table->texts, table->n_texts))
		return -ENOMEM;
	table->texts[table->n_texts++] = text;
	return 0;
}

const char *module_name(const struct module *module)
{
	const char *slash = strrchr(module->key.path, '/');

	return slash && slash[1] ? slash + 1 : module->key.path;
}

const char *module_title(const struct module *module)
{
	if (module->key.kind == MODULE_KERNEL &&
	    strncmp(module->key.path, "[kernel.", strlen("[kernel.")) == 0)
		return "[kernel]";
	return module_name(module);
}
