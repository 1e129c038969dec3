/* The files of a recording, sorted by path. */
#include "collector/attached/simpleperf_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "perf/records/simpleperf_files.h"

/* Programs are mapped by pages; recordings without ->has_min_offset are of 4 KiB pages. */
#define PAGE_MASK 0xfffull

/* Different files may have had one path, one after the other; simpleperf does not tell them apart.
 */
#define MODULES_PER_PATH_MAX 16

struct named_file {
	struct simpleperf_file file;
	unsigned n_given; /* to modules */
};

struct simpleperf_names {
	struct named_file *files;
	size_t n_files, n_allocated;
};

static int compare_text(const struct simpleperf_text *a, const struct simpleperf_text *b)
{
	size_t size = a->size < b->size ? a->size : b->size;
	int order = memcmp(a->start, b->start, size);

	return order ? order : (a->size > b->size) - (a->size < b->size);
}

static int compare_paths(const void *a, const void *b)
{
	const struct named_file *x = a, *y = b;

	return compare_text(&x->file.path, &y->file.path);
}

static int take_files(struct simpleperf_names *names, struct simpleperf_section section)
{
	struct simpleperf_file file;

	while (simpleperf_files_next(&section, &file)) {
		if (array_reserve(names->files, names->n_files, names->n_allocated, 1))
			return -ENOMEM;
		names->files[names->n_files++] = (struct named_file){ .file = file };
	}
	if (names->n_files)
		qsort(names->files, names->n_files, sizeof(*names->files), compare_paths);
	return 0;
}

struct simpleperf_names *simpleperf_names_create(const struct data_file *file)
{
	struct simpleperf_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	if (take_files(names, data_file_simpleperf_files(file))) {
		simpleperf_names_destroy(names);
		return NULL;
	}
	return names;
}

void simpleperf_names_destroy(struct simpleperf_names *names)
{
	if (!names)
		return;
	free(names->files);
	free(names);
}

static struct named_file *find_file(const struct simpleperf_names *names, const char *path)
{
	struct named_file wanted = { .file.path = { path, strlen(path) } };

	return names->n_files ? bsearch(&wanted, names->files, names->n_files,
					sizeof(*names->files), compare_paths)
			      : NULL;
}

/* Code that ART compiled has absolute addresses, and all of it is mapped from one path. */
static bool is_art_code(const struct module *module)
{
	return strstr(module->key.path, "jit_app_cache") ||
	       strstr(module->key.path, "jit_zygote_cache");
}

/* What turns the address of a symbol into an offset. false: the file is of another kind. */
static bool find_distance(const struct simpleperf_file *file, const struct module *module,
			  uint64_t pgoff, uint64_t *distance_ret)
{
	bool is_kernel = module->key.kind == MODULE_KERNEL;

	switch (file->type) {
	case SIMPLEPERF_KERNEL:
		*distance_ret = -module->key.base;
		return is_kernel;
	case SIMPLEPERF_KERNEL_MODULE:
		*distance_ret = file->min_offset - file->min_vaddr;
		return is_kernel;
	case SIMPLEPERF_ELF:
		*distance_ret = file->has_min_offset ? file->min_offset - file->min_vaddr
						     : pgoff - (file->min_vaddr & ~PAGE_MASK);
		return !is_kernel && !is_art_code(module);
	case SIMPLEPERF_DEX:
		*distance_ret = 0;
		return !is_kernel;
	default:
		return false;
	}
}

static struct symbol_table *read_symbols(struct simpleperf_file file, uint64_t distance)
{
	struct symbol_table *table = symbol_table_create();
	struct simpleperf_symbol symbol;

	if (!table)
		return NULL;
	while (simpleperf_symbols_next(&file, &symbol)) {
		if (!symbol.size || !symbol.name.size)
			continue;
		if (symbol_table_add(table, symbol.vaddr + distance, symbol.size, symbol.name.start,
				     symbol.name.size)) {
			symbol_table_destroy(table);
			return NULL;
		}
	}
	symbol_table_sort(table);
	return table;
}

int simpleperf_names_give(struct simpleperf_names *names, struct module *module, uint64_t pgoff)
{
	struct named_file *found = find_file(names, module->key.path);
	uint64_t distance;

	if (!found || module->symbols || found->n_given == MODULES_PER_PATH_MAX ||
	    !find_distance(&found->file, module, pgoff, &distance))
		return 0;
	found->n_given++;
	struct symbol_table *table = read_symbols(found->file, distance);
	if (!table)
		return -ENOMEM;
	if (table->n_symbols)
		module->symbols = table;
	else
		symbol_table_destroy(table);
	return 0;
}
