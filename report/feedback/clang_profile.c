#include "report/feedback/clang_profile.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/stream.h"
#include "cct/text/decimal.h"
#include "report/feedback/compiler_counts.h"

#define UNIQUE ".__uniq."

struct writer {
	FILE *out;
	const struct line_counts *counts;
};

/* -- names ------------------------------------------------------------------------------------ */

/* Other first characters mean something in the format. */
static bool begins_name(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$' || c & 0x80;
}

/* Readers divide lines at blanks and colons. */
static bool is_sound(const char *name)
{
	uint32_t code;
	size_t size;

	for (; *name; name += size) {
		size = printable_decode_utf8(name, &code);
		if (!size || printable_is_hostile(code) || code == ' ' || code == ':')
			return false;
	}
	return true;
}

/* The part of a symbol that names the function: with the number that
 * -funique-internal-linkage-names gives to local functions. */
static size_t length_of_name(const char *symbol)
{
	const size_t length = strcspn(symbol, "."), prefix = strlen(UNIQUE);

	return strncmp(symbol + length, UNIQUE, prefix) == 0
		       ? length + prefix + strspn(symbol + length + prefix, "0123456789")
		       : length;
}

bool clang_profile_name(const char *symbol, char *name)
{
	const size_t length = length_of_name(symbol);

	if (!length || length >= CODE_NAME_MAX || !begins_name(*symbol))
		return false;
	memcpy(name, symbol, length);
	name[length] = '\0';
	return is_sound(name);
}

/* -- lines ------------------------------------------------------------------------------------ */

static void write_name(const struct writer *writer, uint32_t name)
{
	fputs(writer->counts->names.strings[name], writer->out);
}

static void write_place(const struct writer *writer, struct line_place place)
{
	fprintf(writer->out, "%" PRIu32, place.offset);
	if (place.block)
		fprintf(writer->out, ".%" PRIu32, place.block);
}

/* A line begins with a blank for each function that it is inlined in. */
static void begin_line(const struct writer *writer, unsigned depth, struct line_place place)
{
	for (unsigned i = 0; i < depth; i++)
		putc(' ', writer->out);
	write_place(writer, place);
	fputs(": ", writer->out);
}

static void write_number(const struct writer *writer, uint64_t number)
{
	putc(':', writer->out);
	decimal_write(writer->out, number);
}

static void write_line(const struct writer *writer, unsigned depth, const struct counted_line *line)
{
	const struct line_counts *counts = writer->counts;

	if (!line->count && !line->n_calls)
		return;
	begin_line(writer, depth, line->place);
	decimal_write(writer->out, line->count);
	for (uint32_t i = 0; i < line->n_calls; i++) {
		const struct counted_call *call =
			&counts->calls[counts->call_order[line->first_call + i]];

		putc(' ', writer->out);
		write_name(writer, call->name);
		write_number(writer, call->count);
	}
	putc('\n', writer->out);
}

/* @depth: 0 if it is not inlined; at most DEBUG_INFO_MAX_INLINED. */
static void write_function(const struct writer *writer, unsigned depth,
			   const struct counted_function *function)
{
	const struct line_counts *counts = writer->counts;

	if (!function->total && !function->head)
		return;
	if (depth)
		begin_line(writer, depth, function->place);
	write_name(writer, function->name);
	write_number(writer, function->total);
	if (!depth)
		write_number(writer, function->head);
	putc('\n', writer->out);
	for (uint32_t i = 0; i < function->n_lines; i++)
		write_line(writer, depth + 1,
			   &counts->lines[counts->line_order[function->first_line + i]]);
	for (uint32_t i = 0; i < function->n_inlined; i++)
		write_function(
			writer, depth + 1,
			&counts->functions[counts->function_order[function->first_inlined + i]]);
}

static int write_counts(FILE *out, const struct line_counts *counts)
{
	const struct writer writer = { out, counts };

	for (uint32_t i = 0; i < counts->n_top; i++)
		write_function(&writer, 0, &counts->functions[counts->function_order[i]]);
	return stream_finish(out);
}

/* -- contexts --------------------------------------------------------------------------------- */

/* The callers, the outermost first, and the function. @path has room for all functions. */
static void write_context(const struct writer *writer, uint32_t index, uint32_t *path)
{
	const struct counted_function *functions = writer->counts->functions;
	uint32_t n = 0;

	for (; index != LINE_COUNTS_TOP; index = functions[index].parent)
		path[n++] = index;
	putc('[', writer->out);
	while (n-- > 0) {
		write_name(writer, functions[path[n]].name);
		if (!n)
			break;
		putc(':', writer->out);
		write_place(writer, functions[path[n - 1]].place);
		fputs(" @ ", writer->out);
	}
	putc(']', writer->out);
}

static void write_context_function(const struct writer *writer, uint32_t index, uint32_t *path)
{
	const struct line_counts *counts = writer->counts;
	const struct counted_function *function = &counts->functions[index];
	const uint32_t *order = &counts->line_order[function->first_line];
	uint64_t total = 0;

	for (uint32_t i = 0; i < function->n_lines; i++)
		total = line_counts_sum(total, counts->lines[order[i]].count);
	if (!total && !function->head)
		return;
	write_context(writer, index, path);
	write_number(writer, total);
	write_number(writer, function->head);
	putc('\n', writer->out);
	for (uint32_t i = 0; i < function->n_lines; i++)
		write_line(writer, 1, &counts->lines[order[i]]);
}

static int write_contexts(FILE *out, const struct line_counts *counts)
{
	const struct writer writer = { out, counts };
	_cleanup_free_ uint32_t *path = calloc(counts->n_functions + 1ul, sizeof(*path));

	if (!path)
		return -ENOMEM;
	for (uint32_t i = 0; i < counts->n_functions; i++)
		write_context_function(&writer, i, path);
	return stream_finish(out);
}

static int write_profile(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
			 const struct path_options *options, bool by_context)
{
	const struct compiler clang = {
		.naming = { .name_of = clang_profile_name, .has_blocks = true },
		.how_to_build = "Build the program with clang -g -fdebug-info-for-profiling, "
				"record it, and export before its file changes.",
		.by_context = by_context,
	};
	struct line_counts counts = { 0 };
	int err = compiler_counts_fill(&clang, profile, symbolizer, options, &counts);

	if (!err)
		err = by_context ? write_contexts(out, &counts) : write_counts(out, &counts);
	line_counts_deinit(&counts);
	return err;
}

int clang_profile_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
			const struct path_options *options)
{
	return write_profile(out, profile, symbolizer, options, false);
}

int clang_context_profile_write(FILE *out, const struct profile *profile,
				struct symbolizer *symbolizer, const struct path_options *options)
{
	return write_profile(out, profile, symbolizer, options, true);
}
