#include "report/feedback/gcc_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/stream.h"
#include "report/feedback/compiler_counts.h"

#define FILE_VERSION  2
#define TAG_NAMES     0xaa000000u
#define TAG_FUNCTIONS 0xac000000u
#define TAG_MODULES   0xae000000u
#define INDIRECT_CALL 3u        /* enum hist_type: HIST_TYPE_INDIR_CALL */
#define FIRST_NAME    1u        /* gcc takes number 0 for none */
#define COUNT_MAX     INT64_MAX /* gcov_type has a sign */

struct writer {
	FILE *out;
	const struct line_counts *counts;
};

static void put_word(const struct writer *writer, uint32_t word)
{
	for (unsigned i = 0; i < sizeof(word); i++)
		putc((int)(word >> 8 * i & 0xff), writer->out);
}

static void put_count(const struct writer *writer, uint64_t count)
{
	const uint64_t number = count < COUNT_MAX ? count : COUNT_MAX;

	put_word(writer, (uint32_t)number);
	put_word(writer, (uint32_t)(number >> 32));
}

static void put_place(const struct writer *writer, struct line_place place)
{
	put_word(writer, place.offset << 16);
}

static uint32_t number_of(uint32_t name)
{
	return name + FIRST_NAME;
}

/* -- names ------------------------------------------------------------------------------------ */

bool gcc_profile_name(const char *symbol, char *name)
{
	const size_t length = strcspn(symbol, ".");

	if (!length || length >= CODE_NAME_MAX)
		return false;
	memcpy(name, symbol, length);
	name[length] = '\0';
	return true;
}

static void put_name(const struct writer *writer, const char *name)
{
	const size_t size = strlen(name) + 1;

	put_word(writer, (uint32_t)size);
	fwrite(name, 1, size, writer->out);
}

static void put_names(const struct writer *writer)
{
	const struct string_ids *names = &writer->counts->names;
	uint32_t length = sizeof(uint32_t) + sizeof(uint32_t) + 1;

	for (uint32_t i = 0; i < names->n_strings; i++)
		length += (uint32_t)(sizeof(uint32_t) + strlen(names->strings[i]) + 1);
	put_word(writer, TAG_NAMES);
	put_word(writer, length);
	put_word(writer, names->n_strings + FIRST_NAME);
	put_name(writer, "");
	for (uint32_t i = 0; i < names->n_strings; i++)
		put_name(writer, names->strings[i]);
}

/* -- functions -------------------------------------------------------------------------------- */

static bool has_line(const struct counted_line *line)
{
	return line->count || line->n_calls;
}

static bool has_function(const struct counted_function *function)
{
	return function->total || function->head;
}

static const struct counted_line *line_of(const struct writer *writer,
					  const struct counted_function *function, uint32_t i)
{
	return &writer->counts->lines[writer->counts->line_order[function->first_line + i]];
}

static const struct counted_function *
inlined_of(const struct writer *writer, const struct counted_function *function, uint32_t i)
{
	const struct line_counts *counts = writer->counts;

	return &counts->functions[counts->function_order[function->first_inlined + i]];
}

static void put_line(const struct writer *writer, const struct counted_line *line)
{
	const struct line_counts *counts = writer->counts;

	put_place(writer, line->place);
	put_word(writer, line->n_calls);
	put_count(writer, line->count);
	for (uint32_t i = 0; i < line->n_calls; i++) {
		const struct counted_call *call =
			&counts->calls[counts->call_order[line->first_call + i]];

		put_word(writer, INDIRECT_CALL);
		put_count(writer, number_of(call->name));
		put_count(writer, call->count);
	}
}

/* Inlined functions are nested at most DEBUG_INFO_MAX_INLINED deep. */
static void put_function(const struct writer *writer, const struct counted_function *function)
{
	uint32_t n_lines = 0, n_inlined = 0;

	for (uint32_t i = 0; i < function->n_lines; i++)
		n_lines += has_line(line_of(writer, function, i));
	for (uint32_t i = 0; i < function->n_inlined; i++)
		n_inlined += has_function(inlined_of(writer, function, i));
	put_word(writer, number_of(function->name));
	put_word(writer, n_lines);
	put_word(writer, n_inlined);
	for (uint32_t i = 0; i < function->n_lines; i++) {
		const struct counted_line *line = line_of(writer, function, i);

		if (has_line(line))
			put_line(writer, line);
	}
	for (uint32_t i = 0; i < function->n_inlined; i++) {
		const struct counted_function *inlined = inlined_of(writer, function, i);

		if (!has_function(inlined))
			continue;
		put_place(writer, inlined->place);
		put_function(writer, inlined);
	}
}

static void put_functions(const struct writer *writer)
{
	const struct line_counts *counts = writer->counts;
	uint32_t n = 0;

	for (uint32_t i = 0; i < counts->n_top; i++)
		n += has_function(&counts->functions[counts->function_order[i]]);
	put_word(writer, n);
	for (uint32_t i = 0; i < counts->n_top; i++) {
		const struct counted_function *function =
			&counts->functions[counts->function_order[i]];

		if (!has_function(function))
			continue;
		put_count(writer, function->head);
		put_function(writer, function);
	}
}

/* Puts the functions after the length of their bytes. 0, -ENOMEM or -errno of the stream. */
static int put_function_section(const struct writer *writer)
{
	char *bytes = NULL;
	size_t size;
	const struct writer section = { open_memstream(&bytes, &size), writer->counts };

	if (!section.out)
		return -ENOMEM;
	put_functions(&section);
	int err = fclose(section.out) ? -ENOMEM : 0;
	if (!err) {
		put_word(writer, TAG_FUNCTIONS);
		put_word(writer, (uint32_t)size);
		fwrite(bytes, 1, size, writer->out);
	}
	free(bytes);
	return err;
}

static int write_counts(FILE *out, const struct line_counts *counts)
{
	const struct writer writer = { out, counts };

	fputs("adcg", out);
	put_word(&writer, FILE_VERSION);
	put_word(&writer, 0);
	put_names(&writer);
	int err = put_function_section(&writer);
	put_word(&writer, TAG_MODULES);
	put_word(&writer, sizeof(uint32_t));
	put_word(&writer, 0);
	return err ? err : stream_finish(out);
}

int gcc_profile_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		      const struct path_options *options)
{
	static const struct compiler gcc = {
		.naming = { .name_of = gcc_profile_name },
		.how_to_build = "Build the program with gcc -g, record it, and export before its "
				"file changes.",
	};
	struct line_counts counts = { 0 };
	int err = compiler_counts_fill(&gcc, profile, symbolizer, options, &counts);

	if (!err)
		err = write_counts(out, &counts);
	line_counts_deinit(&counts);
	return err;
}
