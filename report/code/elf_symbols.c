#include "report/code/elf_symbols.h"

#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/sorted.h"
#include "cct/code/start_order.h"
#include "cct/object/elf_image.h"
#include "cct/object/elf_symtab.h"
#include "report/code/fde_ranges.h"
#include "report/code/plt.h"

#define NO_SYMBOL  UINT32_MAX
#define MAX_NESTED 64 /* nested functions; only made-up files have more */

/*
 * Longer names keep their version, because in made-up files many symbols may share one long name.
 */
#define MAX_VERSIONED_NAME 4096

struct elf_symbol {
	uint64_t start, end;
	uint32_t name;  /* offset in the string table, or number in @unversioned */
	uint32_t outer; /* the symbol around this one's start, or NO_SYMBOL */
	uint8_t rank;   /* of several names of an address, the one with the lowest rank is used */
	bool sized;     /* else it ends no later than at @end */
	bool is_unversioned; /* its name was asked for, and had a version */
};

struct code_section {
	uint64_t end;
	bool executable;
};

struct symbol_source {
	struct elf_symtab table;
	const struct code_section *sections;
	size_t n_sections;
};

struct elf_symbols {
	Elf *elf;
	struct elf_symbol *symbols; /* sorted by start; one for each start */
	uint32_t n_symbols, n_allocated;
	bool are_all;      /* not only the exported ones */
	const char *names; /* of the symbol table */
	/* Names without version: "memcpy" for "memcpy@@GLIBC_2.14". */
	char **unversioned;
	uint32_t n_unversioned, n_unversioned_allocated;
	struct elf_segments segments;
	/* What follows is read when it is first needed. */
	struct plt_entry *plt;
	size_t n_plt;
	struct fde_ranges fdes;
	bool has_read_plt, has_read_fdes;
};

void elf_symbols_destroy(struct elf_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->symbols);
	for (uint32_t i = 0; i < symbols->n_unversioned; i++)
		free(symbols->unversioned[i]);
	free(symbols->unversioned);
	elf_segments_deinit(&symbols->segments);
	free(symbols->plt);
	fde_ranges_deinit(&symbols->fdes);
	free(symbols);
}

/*
 * Whether each section has code, and where it ends, by section index. NULL: no sections, or out of
 * memory.
 */
static struct code_section *read_sections(Elf *elf, size_t *n_sections_ret)
{
	struct code_section *sections;
	size_t n_sections;

	if (elf_getshdrnum(elf, &n_sections) || !n_sections)
		return NULL;
	sections = calloc(n_sections, sizeof(*sections));
	if (!sections)
		return NULL;
	for (size_t i = 1; i < n_sections; i++) {
		Elf_Scn *section = elf_getscn(elf, i);
		GElf_Shdr header;

		if (!section || !gelf_getshdr(section, &header))
			continue;
		sections[i].executable = header.sh_flags & SHF_EXECINSTR;
		if (__builtin_add_overflow(header.sh_addr, header.sh_size, &sections[i].end))
			sections[i].executable = false;
	}
	*n_sections_ret = n_sections;
	return sections;
}

/*
 * Whether the symbol is a function or a label of assembly code, but not one of the "$x" symbols
 * that mark code on ARM and RISC-V.
 */
static bool is_code(const struct elf_symtab *table, const GElf_Sym *symbol,
		    const struct code_section *section)
{
	const char *name = elf_symtab_name(table, symbol);

	if (!name || !section->executable || symbol->st_value >= section->end)
		return false;
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return *name;
	case STT_NOTYPE:
		return *name && *name != '$' && strncmp(name, ".L", 2) != 0;
	}
	return false;
}

/* Prefers functions to labels, then symbols with a size, then global to weak to local ones. */
static uint8_t symbol_rank(const GElf_Sym *symbol)
{
	static const uint8_t by_binding[] = { [STB_GLOBAL] = 0, [STB_WEAK] = 1, [STB_LOCAL] = 2 };
	unsigned binding = GELF_ST_BIND(symbol->st_info);
	uint8_t rank = binding < sizeof(by_binding) ? by_binding[binding] : 0;

	if (!symbol->st_size)
		rank += 4;
	if (GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE)
		rank += 8;
	return rank;
}

/* Whether @x is the better name of two for one address. */
static bool is_better_name(const struct elf_symbol *x, const struct elf_symbol *y,
			   const char *names)
{
	if (x->rank != y->rank)
		return x->rank < y->rank;
	const size_t x_bars = strspn(names + x->name, "_"), y_bars = strspn(names + y->name, "_");
	if (x_bars != y_bars)
		return x_bars < y_bars;
	return strcmp(names + x->name, names + y->name) < 0;
}

static void keep_best_names(struct elf_symbols *symbols)
{
	struct elf_symbol *all = symbols->symbols;
	uint32_t n_kept = 0;

	for (uint32_t i = 0; i < symbols->n_symbols; i++) {
		if (!n_kept || all[n_kept - 1].start != all[i].start)
			all[n_kept++] = all[i];
		else if (is_better_name(&all[i], &all[n_kept - 1], symbols->names))
			all[n_kept - 1] = all[i];
	}
	symbols->n_symbols = n_kept;
}

/* The FDEs of the file; none if out of memory. */
static const struct fde_ranges *known_fdes(struct elf_symbols *symbols)
{
	if (!symbols->has_read_fdes) {
		struct fde_ranges fdes;

		fde_ranges_init(&fdes, symbols->elf);
		symbols->fdes = fdes;
	}
	symbols->has_read_fdes = true;
	return &symbols->fdes;
}

/*
 * The end of a symbol without a size: that of its FDE or, without one, the start of the next FDE;
 * @end at the latest.
 */
static uint64_t end_by_fdes(struct elf_symbols *symbols, uint64_t start, uint64_t end)
{
	const struct fde_ranges *fdes = known_fdes(symbols);
	struct fde_range own;
	uint64_t next;

	if (fde_ranges_find(fdes, start, &own))
		return own.end < end ? own.end : end;
	return fde_ranges_next(fdes, start, &next) && next < end ? next : end;
}

/*
 * Links each symbol to the one around it. Symbols without a size end at the next symbol or, as is
 * found out when one is looked up, function; those inside another symbol are labels and are
 * dropped.
 */
static void nest_symbols(struct elf_symbols *symbols)
{
	struct elf_symbol *all = symbols->symbols;
	uint32_t n_kept = 0, outer = NO_SYMBOL;

	for (uint32_t i = 0; i < symbols->n_symbols; i++) {
		struct elf_symbol symbol = all[i];

		while (outer != NO_SYMBOL && all[outer].end <= symbol.start)
			outer = all[outer].outer;
		if (!symbol.sized) {
			if (outer != NO_SYMBOL)
				continue;
			if (i + 1 < symbols->n_symbols && all[i + 1].start < symbol.end)
				symbol.end = all[i + 1].start;
		}
		symbol.outer = outer;
		all[n_kept] = symbol;
		outer = n_kept++;
	}
	symbols->n_symbols = n_kept;
}

static int add_symbol(struct elf_symbols *symbols, const GElf_Sym *symbol, uint64_t section_end)
{
	uint64_t end;

	if (array_reserve(symbols->symbols, symbols->n_symbols, symbols->n_allocated, 1))
		return -ENOMEM;
	if (!symbol->st_size || __builtin_add_overflow(symbol->st_value, symbol->st_size, &end))
		end = section_end;
	symbols->symbols[symbols->n_symbols++] = (struct elf_symbol){
		.start = symbol->st_value,
		.end = end,
		.name = symbol->st_name,
		.rank = symbol_rank(symbol),
		.sized = symbol->st_size,
	};
	return 0;
}

/* Finds the next symbol of code from *@index on and moves *@index past it. NULL: no more. */
static const struct code_section *next_symbol(const struct symbol_source *source, size_t *index,
					      GElf_Sym *symbol)
{
	while (elf_symtab_get(&source->table, (*index)++, symbol)) {
		if (symbol->st_shndx >= source->n_sections || symbol->st_shndx == SHN_UNDEF)
			continue;
		const struct code_section *section = &source->sections[symbol->st_shndx];
		if (is_code(&source->table, symbol, section))
			return section;
	}
	return NULL;
}

static int read_symbols(struct elf_symbols *symbols, const struct symbol_source *source)
{
	const struct code_section *section;
	GElf_Sym symbol;
	int err = 0;

	for (size_t i = 1; !err && (section = next_symbol(source, &i, &symbol));)
		err = add_symbol(symbols, &symbol, section->end);
	return err;
}

static int read_table(struct elf_symbols *symbols, uint32_t type,
		      const struct code_section *sections, size_t n_sections)
{
	struct symbol_source source = { .sections = sections, .n_sections = n_sections };

	if (!elf_symtab_open(symbols->elf, type, &source.table) || !source.table.names)
		return 0;
	symbols->names = source.table.names;
	int err = read_symbols(symbols, &source);
	if (!err)
		err = sort_by_start(symbols->symbols, symbols->n_symbols,
				    sizeof(*symbols->symbols));
	if (err)
		return err;
	keep_best_names(symbols);
	nest_symbols(symbols);
	return 0;
}

static int read_tables(struct elf_symbols *symbols)
{
	size_t n_sections = 0;
	_cleanup_free_ struct code_section *sections = read_sections(symbols->elf, &n_sections);
	int err;

	if (!sections)
		return 0;
	err = read_table(symbols, SHT_SYMTAB, sections, n_sections);
	symbols->are_all = symbols->n_symbols;
	if (!err && !symbols->n_symbols)
		err = read_table(symbols, SHT_DYNSYM, sections, n_sections);
	return err;
}

static int read_all(struct elf_symbols *symbols)
{
	int err = elf_segments_init(&symbols->segments, symbols->elf);

	return err ? err : read_tables(symbols);
}

int elf_symbols_create(Elf *elf, struct elf_symbols **symbols_ret)
{
	struct elf_symbols *symbols = calloc(1, sizeof(*symbols));
	int err;

	if (!symbols)
		return -ENOMEM;
	symbols->elf = elf;
	err = read_all(symbols);
	if (err) {
		elf_symbols_destroy(symbols);
		return err;
	}
	*symbols_ret = symbols;
	return 0;
}

bool elf_symbols_any(const struct elf_symbols *symbols)
{
	return symbols->n_symbols;
}

bool elf_symbols_are_all(const struct elf_symbols *symbols)
{
	return symbols->are_all;
}

bool elf_symbols_vaddr(const struct elf_symbols *symbols, uint64_t offset, uint64_t *vaddr_ret)
{
	return elf_segments_to_vaddr(&symbols->segments, offset, vaddr_ret);
}

bool elf_symbols_offset(const struct elf_symbols *symbols, uint64_t vaddr, uint64_t *offset_ret)
{
	return elf_segments_to_offset(&symbols->segments, vaddr, offset_ret);
}

static uint32_t last_symbol_from(const struct elf_symbols *symbols, uint64_t vaddr)
{
	uint32_t low = sorted_count(symbols->n_symbols, i, symbols->symbols[i].start <= vaddr);

	return low ? low - 1 : NO_SYMBOL;
}

/*
 * Code after a symbol's end, but in the FDE that starts at the symbol, belongs to it: the symbol's
 * size is wrong.
 */
static bool is_rest_of(struct elf_symbols *symbols, const struct elf_symbol *symbol, uint64_t vaddr)
{
	struct fde_range fde;

	return fde_ranges_find(known_fdes(symbols), vaddr, &fde) && fde.start == symbol->start;
}

static uint64_t end_of(struct elf_symbols *symbols, const struct elf_symbol *symbol)
{
	return symbol->sized ? symbol->end : end_by_fdes(symbols, symbol->start, symbol->end);
}

static struct elf_symbol *find_symbol(struct elf_symbols *symbols, uint64_t vaddr)
{
	const uint32_t last = last_symbol_from(symbols, vaddr);
	uint32_t i = last;

	for (unsigned n = 0; i != NO_SYMBOL && n < MAX_NESTED; n++) {
		struct elf_symbol *symbol = &symbols->symbols[i];

		if (vaddr < symbol->end && vaddr < end_of(symbols, symbol))
			return symbol;
		i = symbol->outer;
	}
	if (last != NO_SYMBOL && is_rest_of(symbols, &symbols->symbols[last], vaddr))
		return &symbols->symbols[last];
	return NULL;
}

static int compare_plt(const void *key, const void *entry)
{
	const struct plt_entry *plt = entry;
	uint64_t vaddr = *(const uint64_t *)key;

	if (vaddr < plt->start)
		return -1;
	return vaddr >= plt->end;
}

/*
 * The name without the version that linkers append to names of exported functions in .symtab; with
 * it, if there is no memory.
 */
static const char *symbol_name(struct elf_symbols *symbols, struct elf_symbol *symbol)
{
	if (symbol->is_unversioned)
		return symbols->unversioned[symbol->name];
	const char *name = symbols->names + symbol->name;
	const size_t size = strnlen(name, MAX_VERSIONED_NAME);
	const char *at = size < MAX_VERSIONED_NAME ? memchr(name, '@', size) : NULL;
	if (!at || at == name ||
	    array_reserve(symbols->unversioned, symbols->n_unversioned,
			  symbols->n_unversioned_allocated, 1))
		return name;
	char *unversioned = strndup(name, (size_t)(at - name));
	if (!unversioned)
		return name;
	symbol->is_unversioned = true;
	symbol->name = symbols->n_unversioned;
	symbols->unversioned[symbols->n_unversioned++] = unversioned;
	return unversioned;
}

/* The name of the function that @plt jumps to, or of its section. NULL: the file does not name it.
 */
static const char *plt_name(struct elf_symbols *symbols, const struct plt_entry *plt)
{
	struct elf_symbol *ifunc = plt->name ? NULL : find_symbol(symbols, plt->ifunc);

	if (plt->name || !ifunc || ifunc->start != plt->ifunc)
		return plt->name;
	return symbol_name(symbols, ifunc);
}

/* NULL: none there, or out of memory. */
static const struct plt_entry *find_plt(struct elf_symbols *symbols, uint64_t vaddr)
{
	if (!symbols->has_read_plt && !plt_is_possible(symbols->elf, vaddr))
		return NULL;
	if (!symbols->has_read_plt)
		plt_read(symbols->elf, &symbols->plt, &symbols->n_plt);
	symbols->has_read_plt = true;
	return symbols->n_plt ? bsearch(&vaddr, symbols->plt, symbols->n_plt, sizeof(*symbols->plt),
					compare_plt)
			      : NULL;
}

bool elf_symbols_find(struct elf_symbols *symbols, uint64_t vaddr,
		      struct elf_symbol_match *match_ret)
{
	struct elf_symbol *symbol = find_symbol(symbols, vaddr);

	if (symbol) {
		*match_ret = (struct elf_symbol_match){ .name = symbol_name(symbols, symbol),
							.start = symbol->start,
							.end = end_of(symbols, symbol) };
		return true;
	}
	const struct plt_entry *plt = find_plt(symbols, vaddr);
	const char *name = plt ? plt_name(symbols, plt) : NULL;
	if (!name)
		return false;
	*match_ret = (struct elf_symbol_match){
		.name = name, .start = plt->start, .end = plt->end, .plt = !plt->is_other
	};
	return true;
}

bool elf_symbols_function_start(struct elf_symbols *symbols, uint64_t vaddr, uint64_t *start_ret)
{
	struct fde_range fde;

	if (!fde_ranges_find(known_fdes(symbols), vaddr, &fde))
		return false;
	*start_ret = fde.start;
	return true;
}

bool elf_symbols_next_function(struct elf_symbols *symbols, uint64_t vaddr, uint64_t *start_ret)
{
	return fde_ranges_next(known_fdes(symbols), vaddr, start_ret);
}
