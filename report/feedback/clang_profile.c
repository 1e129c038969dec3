#include "report/feedback/clang_profile.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cct/base/printable.h"
#include "cct/base/sentence.h"
#include "cct/base/stream.h"
#include "cct/text/decimal.h"
#include "report/feedback/branch_code.h"
#include "report/feedback/sampled_code.h"

#define HOW_TO_BUILD                                                          \
	"Build the program with clang -g -fdebug-info-for-profiling, record " \
	"it, and export before its file changes."

#define NOTHING "no "
#define IN_CODE " is in code with lines in debug information. " HOW_TO_BUILD

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

bool clang_profile_name(const char *symbol, char *name)
{
	const size_t length = strcspn(symbol, ".");

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

/* A line begins with a blank for each function that it is inlined in. */
static void begin_line(const struct writer *writer, unsigned depth, struct line_place place)
{
	for (unsigned i = 0; i < depth; i++)
		putc(' ', writer->out);
	fprintf(writer->out, "%" PRIu32, place.offset);
	if (place.block)
		fprintf(writer->out, ".%" PRIu32, place.block);
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

/* -- what is not in the file ------------------------------------------------------------------ */

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void note_part(FILE *out, const struct sampled_weights *weights, uint64_t part,
		      const char *where)
{
	if (part)
		fprintf(out, ", %.1f %% %s", percent(part, weights->all), where);
}

/* NULL: nothing is missing, or no memory. */
static char *find_missing(const struct sampled_weights *weights)
{
	char *text = NULL;
	size_t size;
	FILE *out = weights->placed < weights->all ? open_memstream(&text, &size) : NULL;

	if (!out)
		return NULL;
	fprintf(out, "%.1f %% of the cost is in the profile",
		percent(weights->placed, weights->all));
	note_part(out, weights, weights->elsewhere, "was in the kernel or in no program's file");
	note_part(out, weights, weights->without_debug,
		  "in code without lines in debug information");
	note_part(out, weights, weights->unnamed, "in functions whose names it cannot hold");
	fputs(weights->without_debug > weights->placed ? ". " HOW_TO_BUILD : ".", out);
	return fclose(out) ? NULL : text;
}

static int write_counts(FILE *out, const struct line_counts *counts)
{
	const struct writer writer = { out, counts };

	for (uint32_t i = 0; i < counts->n_top; i++)
		write_function(&writer, 0, &counts->functions[counts->function_order[i]]);
	return stream_finish(out);
}

/* NULL: nothing to say, or no memory. */
static char *describe_branches(const struct branch_paths *branches, uint64_t n, uint64_t n_placed)
{
	return sentence("the counts are of %" PRIu64 " stacks of branches; %.1f %% of their "
			"instructions are in the profile.",
			branches->n_stacks, percent(n_placed, n));
}

/* Fills @counts and the finding. 0, -ENOMEM, or -ENODATA. */
static int count_branches(const struct path_options *options, struct line_counts *counts)
{
	uint64_t n, n_placed;
	int err = branch_code_count(options->branches, clang_profile_name, counts, &n, &n_placed);

	if (err)
		return err;
	*options->finding_ret = n_placed ? describe_branches(options->branches, n, n_placed)
					 : sentence(NOTHING "branch" IN_CODE);
	return n_placed ? 0 : -ENODATA;
}

/* Likewise. */
static int count_samples(const struct profile *profile, struct symbolizer *symbolizer,
			 const struct path_options *options, struct line_counts *counts)
{
	struct sampled_weights weights;
	int err = sampled_code_count(profile, symbolizer, options->metric, clang_profile_name,
				     counts, &weights);

	if (err)
		return err;
	*options->finding_ret =
		weights.placed ? find_missing(&weights) : sentence(NOTHING "sample" IN_CODE);
	return weights.placed ? 0 : -ENODATA;
}

int clang_profile_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
			const struct path_options *options)
{
	struct line_counts counts = { 0 };
	int err = options->branches ? count_branches(options, &counts)
				    : count_samples(profile, symbolizer, options, &counts);

	if (!err)
		err = line_counts_finish(&counts, !options->branches);
	if (!err)
		err = write_counts(out, &counts);
	line_counts_deinit(&counts);
	return err;
}
