#include "report/feedback/bolt_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/printable.h"
#include "cct/base/sorted.h"
#include "cct/object/elf_image.h"
#include "cct/object/elf_symtab.h"
#include "cct/text/string_ids.h"
#include "report/code/plt.h"

/* Longer names are left out: in made-up files many symbols may share one long name. */
#define NAME_MAX_SIZE 16384

/* A symbol of memory. */
struct memory_symbol {
	GElf_Sym symbol;
	const char *name;
	size_t place; /* in the table */
	uint64_t section_end;
	bool is_code; /* its section has code */
	bool is_function;
};

struct memory_symbols {
	struct memory_symbol *all;
	size_t n, n_allocated;
};

struct builder {
	struct bolt_symbols *symbols;
	size_t n_allocated;
	struct string_ids local_names;
	uint32_t *n_local; /* by the name's number: how many of them came */
	uint32_t n_local_allocated;
	uint64_t size; /* of the last function */
};

/* -- symbols of memory ------------------------------------------------------------------------ */

static int add_symbol(struct memory_symbols *symbols, Elf *elf, const struct elf_symtab *table,
		      size_t place, const GElf_Sym *symbol)
{
	const unsigned type = GELF_ST_TYPE(symbol->st_info);
	const char *name = elf_symtab_name(table, symbol);
	Elf_Scn *section =
		symbol->st_shndx < SHN_LORESERVE ? elf_getscn(elf, symbol->st_shndx) : NULL;
	GElf_Shdr header;
	uint64_t end;

	if (!symbol->st_value || symbol->st_shndx == SHN_UNDEF || type == STT_FILE || !name ||
	    !*name || strnlen(name, NAME_MAX_SIZE) == NAME_MAX_SIZE || !section ||
	    !gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
	    __builtin_add_overflow(header.sh_addr, header.sh_size, &end))
		return 0;
	if (array_reserve(symbols->all, symbols->n, symbols->n_allocated, 1))
		return -ENOMEM;
	symbols->all[symbols->n++] = (struct memory_symbol){
		.symbol = *symbol,
		.name = name,
		.place = place,
		.section_end = end,
		.is_code = header.sh_flags & SHF_EXECINSTR && symbol->st_value < end,
		.is_function = type == STT_FUNC || type == STT_GNU_IFUNC,
	};
	return 0;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct memory_symbol *x = a, *y = b;

	if (x->symbol.st_value != y->symbol.st_value)
		return x->symbol.st_value < y->symbol.st_value ? -1 : 1;
	if (x->is_function != y->is_function)
		return x->is_function ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static int read_symbols(struct memory_symbols *symbols, Elf *elf)
{
	struct elf_symtab table;
	GElf_Sym symbol;
	int err = 0;

	if (!elf_symtab_open(elf, SHT_SYMTAB, &table) || !table.names)
		return -ENOENT;
	for (size_t i = 1; !err && elf_symtab_get(&table, i, &symbol); i++)
		err = add_symbol(symbols, elf, &table, i, &symbol);
	if (symbols->n)
		qsort(symbols->all, symbols->n, sizeof(*symbols->all), compare_symbols);
	return err;
}

/* -- functions -------------------------------------------------------------------------------- */

/* 0 or -ENOMEM. */
static int count_name(struct builder *builder, const struct memory_symbol *symbol,
		      uint32_t *number_ret)
{
	uint32_t id;
	bool is_new;

	*number_ret = 0;
	if (GELF_ST_BIND(symbol->symbol.st_info) != STB_LOCAL)
		return 0;
	int err = string_ids_add(&builder->local_names, symbol->name, &id, &is_new);
	if (err)
		return err;
	if (array_reserve(builder->n_local, id, builder->n_local_allocated, 1))
		return -ENOMEM;
	builder->n_local[id] = is_new ? 1 : builder->n_local[id] + 1;
	*number_ret = builder->n_local[id];
	return 0;
}

/* A label inside a function is none; nor is a local one after a function without a size. */
static bool begins_function(const struct builder *builder, const struct memory_symbol *symbol)
{
	const struct bolt_symbols *symbols = builder->symbols;
	const unsigned type = GELF_ST_TYPE(symbol->symbol.st_info);

	if (!symbol->is_code || (!symbol->is_function && type != STT_NOTYPE))
		return false;
	if (!symbols->n)
		return true;
	const uint64_t start = symbols->functions[symbols->n - 1].start;
	if (symbol->symbol.st_value - start < builder->size || symbol->symbol.st_value == start)
		return false;
	return symbol->is_function || builder->size ||
	       GELF_ST_BIND(symbol->symbol.st_info) != STB_LOCAL;
}

static int add_function(struct builder *builder, const struct bolt_function *function)
{
	struct bolt_symbols *symbols = builder->symbols;

	if (array_reserve(symbols->functions, symbols->n, builder->n_allocated, 1))
		return -ENOMEM;
	symbols->functions[symbols->n++] = *function;
	return 0;
}

static int take_symbol(struct builder *builder, const struct memory_symbol *symbol)
{
	const struct bolt_symbols *symbols = builder->symbols;
	const uint64_t start = symbol->symbol.st_value, size = symbol->symbol.st_size;
	uint32_t number;
	int err = count_name(builder, symbol, &number);

	if (!err && begins_function(builder, symbol)) {
		builder->size = size;
		return add_function(builder, &(struct bolt_function){ .start = start,
								      .end = symbol->section_end,
								      .name = symbol->name,
								      .number = number });
	}
	/* Another name of the function. */
	if (symbols->n && symbols->functions[symbols->n - 1].start == start && size > builder->size)
		builder->size = size;
	return err;
}

static int add_plt(struct builder *builder, Elf *elf)
{
	struct plt_entry *entries;
	size_t n;
	int err = plt_read(elf, &entries, &n);

	if (err)
		return err;
	for (size_t i = 0; !err && i < n; i++) {
		if (entries[i].name && !entries[i].is_other)
			err = add_function(builder,
					   &(struct bolt_function){ .start = entries[i].start,
								    .end = entries[i].end,
								    .name = entries[i].name,
								    .is_plt = true });
	}
	free(entries);
	return err;
}

static int compare_functions(const void *a, const void *b)
{
	const struct bolt_function *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static int build(struct builder *builder, Elf *elf)
{
	struct bolt_symbols *symbols = builder->symbols;
	struct memory_symbols memory = { 0 };
	int err = read_symbols(&memory, elf);

	for (size_t i = 0; !err && i < memory.n; i++)
		err = take_symbol(builder, &memory.all[i]);
	free(memory.all);
	if (!err)
		err = add_plt(builder, elf);
	if (symbols->n)
		qsort(symbols->functions, symbols->n, sizeof(*symbols->functions),
		      compare_functions);
	return err;
}

int bolt_symbols_init(struct bolt_symbols *symbols, Elf *elf)
{
	struct builder builder = { .symbols = symbols };

	*symbols = (struct bolt_symbols){ 0 };
	int err = build(&builder, elf);
	string_ids_deinit(&builder.local_names);
	free(builder.n_local);
	if (err)
		bolt_symbols_deinit(symbols);
	return err;
}

void bolt_symbols_deinit(struct bolt_symbols *symbols)
{
	free(symbols->functions);
	*symbols = (struct bolt_symbols){ 0 };
}

const struct bolt_function *bolt_symbols_find(const struct bolt_symbols *symbols, uint64_t vaddr)
{
	const size_t n = sorted_count(symbols->n, i, symbols->functions[i].start <= vaddr);
	const struct bolt_function *function = n ? &symbols->functions[n - 1] : NULL;

	return function && vaddr < function->end ? function : NULL;
}

/* -- names ------------------------------------------------------------------------------------ */

bool bolt_symbols_can_name(const struct bolt_function *function)
{
	size_t size;
	uint32_t code;

	for (const char *at = function->name; *at; at += size) {
		size = printable_decode_utf8(at, &code);
		if (!size || printable_is_hostile(code))
			return false;
	}
	return true;
}

void bolt_symbols_write(FILE *out, const struct bolt_function *function)
{
	fputs("1 ", out);
	for (const char *at = function->name; *at; at++) {
		if (*at == ' ' || *at == '\\')
			putc('\\', out);
		putc(*at, out);
	}
	if (function->is_plt)
		fputs("@PLT", out);
	else if (function->number)
		fprintf(out, "/%u", function->number);
	putc(' ', out);
}
