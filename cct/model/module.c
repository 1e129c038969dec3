/* The module table and the symbol tables that recordings carry. */
#include "cct/model/module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STRING_CHUNK_SIZE (64 * 1024)

struct string_chunk {
	struct string_chunk *next;
	size_t used, size;
	char bytes[];
};

struct symbol_table *symbol_table_create(void)
{
	return calloc(1, sizeof(struct symbol_table));
}

void symbol_table_destroy(struct symbol_table *table)
{
	if (!table)
		return;
	for (struct string_chunk *chunk = table->strings, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(table->symbols);
	free(table);
}

static char *symbol_table_copy_name(struct symbol_table *table, const char *name, size_t size)
{
	struct string_chunk *chunk = table->strings;

	if (!chunk || chunk->size - chunk->used < size + 1) {
		size_t chunk_size = size + 1 > STRING_CHUNK_SIZE ? size + 1 : STRING_CHUNK_SIZE;

		chunk = malloc(sizeof(*chunk) + chunk_size);
		if (!chunk)
			return NULL;
		*chunk = (struct string_chunk){ .next = table->strings, .size = chunk_size };
		table->strings = chunk;
	}
	char *copy = chunk->bytes + chunk->used;
	memcpy(copy, name, size);
	copy[size] = '\0';
	chunk->used += size + 1;
	return copy;
}

int symbol_table_add(struct symbol_table *table, uint64_t offset, uint64_t size, const char *name,
		     size_t name_size)
{
	if (table->n_symbols == table->n_allocated) {
		size_t n = table->n_allocated ? table->n_allocated * 2 : 256;
		struct symbol *symbols = reallocarray(table->symbols, n, sizeof(*symbols));
		if (!symbols)
			return -ENOMEM;
		table->symbols = symbols;
		table->n_allocated = n;
	}
	char *copy = symbol_table_copy_name(table, name, name_size);
	if (!copy)
		return -ENOMEM;
	table->symbols[table->n_symbols++] =
		(struct symbol){ .offset = offset, .size = size, .name = copy };
	return 0;
}

static int symbol_compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	/* Of several names at one address the last one wins a look-up: the longest symbol, then the
	 * name with the fewest leading underscores, then by name: the input's order is no matter.
	 */
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	size_t x_underscores = strspn(x->name, "_"), y_underscores = strspn(y->name, "_");
	if (x_underscores != y_underscores)
		return x_underscores > y_underscores ? -1 : 1;
	return -strcmp(x->name, y->name);
}

/* Sorts what is nearly sorted, as kallsyms is but for aliases. false: it is not, stopped half-way.
 */
static bool symbol_table_insertion_sort(struct symbol_table *table)
{
	size_t n_moves_left = table->n_symbols * 4;

	for (size_t i = 1; i < table->n_symbols; i++) {
		struct symbol symbol = table->symbols[i];
		size_t k = i;

		for (; k && symbol_compare(&table->symbols[k - 1], &symbol) > 0; k--) {
			table->symbols[k] = table->symbols[k - 1];
			if (!n_moves_left--) {
				table->symbols[k - 1] = symbol;
				return false;
			}
		}
		table->symbols[k] = symbol;
	}
	return true;
}

void symbol_table_sort(struct symbol_table *table)
{
	if (table->n_symbols && !symbol_table_insertion_sort(table))
		qsort(table->symbols, table->n_symbols, sizeof(*table->symbols), symbol_compare);
}

const struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t offset)
{
	size_t low = 0, high = table->n_symbols;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->symbols[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	const struct symbol *symbol = &table->symbols[low - 1];
	if (symbol->size && offset - symbol->offset >= symbol->size)
		return NULL;
	return symbol;
}

int module_table_init(struct module_table *table)
{
	*table = (struct module_table){ .n_modules = 1, .n_buckets = 128 };
	/* Zero pages cost nothing until they are used. */
	table->modules = calloc(MODULES_MAX, sizeof(*table->modules));
	table->buckets = calloc(table->n_buckets, sizeof(*table->buckets));
	if (table->modules && table->buckets)
		return 0;
	module_table_deinit(table);
	return -ENOMEM;
}

static void module_destroy(struct module *module)
{
	if (!module)
		return;
	located_file_deinit(&module->located);
	symbol_table_destroy(module->symbols);
	line_table_destroy(module->lines);
	free((char *)module->key.path);
	free(module);
}

void module_table_deinit(struct module_table *table)
{
	for (uint32_t i = 1; table->modules && i < table->n_modules; i++)
		module_destroy(table->modules[i]);
	free(table->modules);
	free(table->buckets);
	*table = (struct module_table){ 0 };
}

static uint32_t module_key_hash(const struct module_key *key)
{
	uint64_t hash = key->kind;

	for (const char *c = key->path; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 0x100000001b3ull;
	for (unsigned i = 0; i < key->build_id.size; i++)
		hash = (hash ^ key->build_id.bytes[i]) * 0x100000001b3ull;
	if (!key->build_id.size)
		hash = (hash ^ key->inode) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(hash ^ hash >> 32);
}

static bool module_key_equal(const struct module_key *a, const struct module_key *b)
{
	if (a->kind != b->kind || a->build_id.size != b->build_id.size ||
	    strcmp(a->path, b->path) != 0)
		return false;
	if (a->build_id.size)
		return memcmp(a->build_id.bytes, b->build_id.bytes, a->build_id.size) == 0;
	return a->dev_major == b->dev_major && a->dev_minor == b->dev_minor &&
	       a->inode == b->inode && a->inode_generation == b->inode_generation;
}

static uint32_t *module_table_slot(const struct module_table *table, const struct module_key *key)
{
	uint32_t mask = table->n_buckets - 1;

	for (uint32_t i = module_key_hash(key) & mask;; i = (i + 1) & mask) {
		uint32_t id = table->buckets[i];

		if (!id || module_key_equal(&table->modules[id]->key, key))
			return &table->buckets[i];
	}
}

static int module_table_grow(struct module_table *table)
{
	if (table->n_modules == MODULES_MAX)
		return -ENOMEM;
	if (table->n_modules * 2 < table->n_buckets)
		return 0;

	uint32_t *old = table->buckets;
	uint32_t *buckets = calloc(table->n_buckets * 2ul, sizeof(*buckets));
	if (!buckets)
		return -ENOMEM;
	table->buckets = buckets;
	table->n_buckets *= 2;
	for (uint32_t id = 1; id < table->n_modules; id++)
		*module_table_slot(table, &table->modules[id]->key) = id;
	free(old);
	return 0;
}

uint32_t module_table_add(struct module_table *table, const struct module_key *key)
{
	uint32_t id = *module_table_slot(table, key);

	if (id)
		return id;
	if (module_table_grow(table))
		return 0;
	struct module *module = calloc(1, sizeof(*module));
	char *path = strdup(key->path);
	if (!module || !path) {
		free(module);
		free(path);
		return 0;
	}
	module->id = id = table->n_modules++;
	module->key = *key;
	module->key.path = path;
	located_file_init(&module->located, table->files);
	table->modules[id] = module;
	*module_table_slot(table, key) = id;
	return id;
}

void build_id_format(const struct build_id *build_id, char text[static BUILD_ID_TEXT_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	char *to = text;

	if (!build_id->size)
		*to++ = '-';
	for (unsigned i = 0; i < build_id->size && i < BUILD_ID_MAX_SIZE; i++) {
		*to++ = digits[build_id->bytes[i] >> 4];
		*to++ = digits[build_id->bytes[i] & 15];
	}
	*to = '\0';
}

const char *module_name(const struct module *module)
{
	const char *slash = strrchr(module->key.path, '/');

	return slash && slash[1] ? slash + 1 : module->key.path;
}
