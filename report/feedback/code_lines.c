#include "report/feedback/code_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int code_lines_init(struct code_lines *lines, struct line_counts *counts,
		    const struct code_naming *naming)
{
	*lines = (struct code_lines){ .counts = counts, .naming = naming };
	lines->name = malloc(CODE_NAME_MAX);
	return lines->name ? 0 : -ENOMEM;
}

void code_lines_deinit(struct code_lines *lines)
{
	free(lines->name);
}

static int name_number(struct code_lines *lines, const char *symbol, uint32_t *name_ret)
{
	return lines->naming->name_of(symbol, lines->name)
		       ? line_counts_name(lines->counts, lines->name, name_ret)
		       : 0;
}

/*
 * The name of a compiled function is the linkage name of its debug information. A name with scopes
 * was made from them, because it has none (extern "C" in a namespace): there the symbol is right.
 */
static const char *compiled_name(const struct code_source *source, const char *name)
{
	return !name || (source->symbol && strstr(name, "::")) ? source->symbol : name;
}

/* @functions: innermost first; @base: the outermost in the counts, LINE_COUNTS_TOP: it is at the
 * top. Finds the innermost function in the counts. *@function_ret is CODE_LINES_NONE if one of them
 * has no place or no name. 0 or -ENOMEM. */
static int enter_functions(struct code_lines *lines, const struct code_source *source,
			   uint32_t base, const struct debug_function *functions, size_t n,
			   bool is_of_llvm, uint32_t *function_ret)
{
	uint32_t function = LINE_COUNTS_TOP;
	struct line_place place = { 0 };

	*function_ret = CODE_LINES_NONE;
	for (size_t i = n; i-- > 0;) {
		const char *symbol =
			i + 1 == n ? compiled_name(source, functions[i].name) : functions[i].name;
		uint32_t name = CODE_LINES_NONE;
		int err = symbol ? name_number(lines, symbol, &name) : 0;

		if (err || name == CODE_LINES_NONE)
			return err;
		if (i + 1 == n && base != LINE_COUNTS_TOP)
			function = base;
		else
			err = line_counts_function(lines->counts, function, place, name, &function);
		if (err || !line_place_find(&functions[i], is_of_llvm, &place))
			return err;
	}
	*function_ret = function;
	return 0;
}

int code_lines_find_in(struct code_lines *lines, const struct code_source *source, uint32_t base,
		       uint64_t vaddr, struct found_line *line_ret)
{
	struct debug_function functions[DEBUG_INFO_MAX_INLINED];
	struct line_place place;
	uint32_t function;
	bool is_of_llvm;
	const size_t n = debug_info_find_discriminated(source->debug, vaddr, functions,
						       DEBUG_INFO_MAX_INLINED, &is_of_llvm);

	*line_ret = (struct found_line){ .line = CODE_LINES_NONE, .copies = 1 };
	is_of_llvm &= lines->naming->has_blocks;
	if (!n || !line_place_find(&functions[0], is_of_llvm, &place))
		return 0;
	int err = enter_functions(lines, source, base, functions, n, is_of_llvm, &function);
	line_ret->is_unnamed = function == CODE_LINES_NONE;
	if (err || function == CODE_LINES_NONE)
		return err;
	if (is_of_llvm)
		line_ret->copies = discriminator_copies(functions[0].discriminator);
	return line_counts_line(lines->counts, function, place, &line_ret->line);
}

int code_lines_find(struct code_lines *lines, const struct code_source *source, uint64_t vaddr,
		    struct found_line *line_ret)
{
	return code_lines_find_in(lines, source, LINE_COUNTS_TOP, vaddr, line_ret);
}

int code_lines_name(struct code_lines *lines, const struct code_source *source, uint32_t *name_ret)
{
	struct debug_function functions[DEBUG_INFO_MAX_INLINED];
	const size_t n =
		debug_info_find(source->debug, source->start, functions, DEBUG_INFO_MAX_INLINED);
	const char *symbol = compiled_name(source, n ? functions[n - 1].name : NULL);

	*name_ret = CODE_LINES_NONE;
	return symbol ? name_number(lines, symbol, name_ret) : 0;
}

bool code_source_is_part(const struct code_source *source)
{
	static const char *const endings[] = { ".cold", ".actor", ".resume", ".destroy",
					       ".cleanup" };

	for (size_t i = 0; source->symbol && i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (strstr(source->symbol, endings[i]))
			return true;
	}
	return false;
}

int code_lines_enter(struct code_lines *lines, const struct code_source *source, uint32_t name,
		     uint64_t count)
{
	const struct line_place none = { 0 };
	uint32_t top;

	if (!count || code_source_is_part(source))
		return 0;
	int err = line_counts_function(lines->counts, LINE_COUNTS_TOP, none, name, &top);
	if (!err)
		lines->counts->functions[top].head =
			line_counts_sum(lines->counts->functions[top].head, count);
	return err;
}

void code_lines_raise(struct code_lines *lines, const struct found_line *line, uint32_t code,
		      uint64_t count)
{
	uint64_t product;

	if (__builtin_mul_overflow(count, line->copies, &product))
		product = UINT64_MAX;
	line_counts_raise(lines->counts, line->line, code, product);
}
