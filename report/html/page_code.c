#include "report/html/page_code.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "report/annotate/annotate.h"
#include "report/annotate/annotate_code.h"
#include "report/annotate/source_doubt.h"
#include "report/code/disassembly.h"
#include "report/export/json_rows.h"
#include "report/html/page_string.h"
#include "report/names/source_file.h"

#define MAX_FUNCTIONS    20
#define LEAST_PERCENT    1 /* of the cost that is shown first */
#define CONTEXT_LINES    3
#define MAX_LINES        1000 /* of a function; what is left out is counted */
#define MAX_INSTRUCTIONS 2000
#define TEXT_SIZE        16384
#define PLACE_SIZE       1024

/* Writing one function. */
struct listing {
	FILE *out;
	struct annotation *annotation;
	const struct annotated_function *function;
	struct source_files *files;
	struct disassembler *disassembler;
	/* The file whose lines are being written. */
	const struct source_file *file; /* NULL: not known */
	uint32_t path;
	uint32_t n_files;
	uint32_t n; /* lines that are written */
};

static void write_costs(const struct listing *listing, uint32_t slot)
{
	const struct annotation *annotation = listing->annotation;

	if (slot == ANNOTATE_NONE)
		return;
	putc(',', listing->out);
	json_write_costs(listing->out, annotation_self(annotation, slot), annotation->n_metrics);
	putc(',', listing->out);
	json_write_costs(listing->out, annotation_total(annotation, slot), annotation->n_metrics);
}

static const struct annotated_line *line_at(const struct listing *listing, uint32_t i)
{
	return &listing->annotation->lines[listing->function->first_line + i];
}

static int open_file(struct listing *listing, uint32_t path)
{
	listing->path = path;
	listing->file = NULL;
	if (path == ANNOTATE_NONE)
		return 0;
	listing->file =
		source_files_get(listing->files, annotation_path(listing->annotation, path));
	return listing->file ? 0 : -ENOMEM;
}

/* [path, why its text may be wrong or is missing]. 0 or -ENOMEM. */
static int write_file(struct listing *listing, uint32_t path)
{
	int err = open_file(listing, path);

	if (err)
		return err;
	const char *doubt =
		listing->file ? source_doubt(listing->annotation, listing->function, listing->file)
			      : NULL;
	err = page_string_write(listing->out, listing->n_files++ ? ",[" : "[",
				path == ANNOTATE_NONE ? ""
						      : annotation_path(listing->annotation, path));
	if (!err && doubt)
		err = page_string_write(listing->out, ",", doubt);
	putc(']', listing->out);
	return err;
}

/* Lines are sorted by file, so each file comes once. 0 or -ENOMEM. */
static int write_files(struct listing *listing)
{
	int err = 0;

	fputs(",\n\"files\":[", listing->out);
	for (uint32_t i = 0; i < listing->function->n_lines && !err; i++) {
		if (!i || line_at(listing, i)->path != line_at(listing, i - 1)->path)
			err = write_file(listing, line_at(listing, i)->path);
	}
	putc(']', listing->out);
	return err;
}

/* [file, line, text or null], and with cost self and total. 0 or -ENOMEM. */
static int write_line(struct listing *listing, uint32_t line, uint32_t slot)
{
	char text[SOURCE_LINE_MAX_SIZE];
	int err = 0;

	fprintf(listing->out, "%s[%" PRIu32 ",%" PRIu32, listing->n++ ? ",\n" : "",
		listing->n_files, line);
	if (listing->file && !listing->file->problem && line && line <= listing->file->n_lines) {
		source_file_line(listing->file, line, text);
		err = page_string_write(listing->out, ",", text);
	} else {
		fputs(",null", listing->out);
	}
	write_costs(listing, slot);
	putc(']', listing->out);
	return err;
}

/* Lines without cost, up to before @end. 0 or -ENOMEM. */
static int write_context(struct listing *listing, uint32_t from, uint32_t end)
{
	int err = 0;

	if (!listing->file || listing->file->problem)
		return 0;
	if (end > listing->file->n_lines + 1)
		end = listing->file->n_lines + 1;
	for (uint32_t line = from; line < end && listing->n < MAX_LINES && !err; line++)
		err = write_line(listing, line, ANNOTATE_NONE);
	return err;
}

/* Writes a line with cost, those before it and those after it. @next: the next one of the file with
 * cost, 0: none. @done: the last one that is written; moved. 0 or -ENOMEM. */
static int write_around(struct listing *listing, const struct annotated_line *at, uint32_t next,
			uint32_t *done)
{
	const uint32_t first = at->line > CONTEXT_LINES ? at->line - CONTEXT_LINES : 1;
	uint32_t end = at->line + CONTEXT_LINES + 1;

	if (!at->line)
		return write_line(listing, 0, at->slot);
	int err = write_context(listing, first > *done ? first : *done + 1, at->line);
	if (!err)
		err = write_line(listing, at->line, at->slot);
	if (next && end > next)
		end = next;
	if (!err)
		err = write_context(listing, at->line + 1, end);
	*done = end - 1;
	return err;
}

static int write_lines(struct listing *listing)
{
	const uint32_t n_lines = listing->function->n_lines;
	uint32_t done = 0, i = 0;
	int err = 0;

	fputs(",\n\"lines\":[", listing->out);
	listing->n_files = 0;
	for (; i < n_lines && listing->n < MAX_LINES && !err; i++) {
		const struct annotated_line *at = line_at(listing, i);
		const bool has_next = i + 1 < n_lines && line_at(listing, i + 1)->path == at->path;

		if (i && at->path != listing->path)
			listing->n_files++;
		if (!i || at->path != listing->path) {
			done = 0;
			err = open_file(listing, at->path);
		}
		if (!err)
			err = write_around(listing, at,
					   has_next ? line_at(listing, i + 1)->line : 0, &done);
	}
	fprintf(listing->out, "],\"linesLeftOut\":%" PRIu32, n_lines - i);
	return err;
}

/* "list.c:12", "append (list.c:12)", or nothing. */
static void describe_place(const struct listing *listing, const struct annotated_place *place,
			   char text[PLACE_SIZE])
{
	const uint32_t path = place->inlined ? place->inlined_path : place->path;
	const uint32_t line = place->inlined ? place->inlined_line : place->line;
	const char *name = path == ANNOTATE_NONE ? "" : annotation_path(listing->annotation, path);
	const char *slash = strrchr(name, '/');
	char at[PLACE_SIZE / 2] = "";

	if (*name)
		snprintf(at, sizeof(at), "%s:%" PRIu32, slash ? slash + 1 : name, line);
	if (place->inlined)
		snprintf(text, PLACE_SIZE, "%.*s%s%s%s", PLACE_SIZE / 2 - 4, place->inlined,
			 *at ? " (" : "", at, *at ? ")" : "");
	else
		snprintf(text, PLACE_SIZE, "%s", at);
}

/* [address, text, place], and with cost self and total. 0 or -ENOMEM. */
static int write_instruction(const struct listing *listing,
			     const struct annotated_instruction *instruction)
{
	char text[TEXT_SIZE], place[PLACE_SIZE];
	int err = annotated_text(listing->annotation, listing->disassembler, instruction, text,
				 sizeof(text));

	if (err)
		return err;
	fprintf(listing->out, "[\"0x%" PRIx64 "\"", instruction->vaddr);
	err = page_string_write(listing->out, ",", text);
	describe_place(listing, &instruction->place, place);
	if (!err)
		err = page_string_write(listing->out, ",", place);
	write_costs(listing, instruction->slot);
	putc(']', listing->out);
	return err;
}

/* All of them, or if these are too many, those with cost. 0 or -ENOMEM. */
static int list_instructions(const struct listing *listing, struct annotated_instructions *list)
{
	int err = annotated_instructions_list(listing->annotation, listing->function, false, list);

	if (err || list->n <= MAX_INSTRUCTIONS)
		return err;
	annotated_instructions_free(list);
	err = annotated_instructions_list(listing->annotation, listing->function, true, list);
	list->is_cut = true;
	return err;
}

static int write_instructions(struct listing *listing)
{
	const struct annotated_code *code = &listing->annotation->codes[listing->function->code];
	struct annotated_instructions list;
	int err = list_instructions(listing, &list);

	if (err)
		return err;
	if (code->bytes &&
	    disassembler_create(code->machine, false, &listing->disassembler) == -ENOMEM)
		err = -ENOMEM;
	const uint32_t n = list.n < MAX_INSTRUCTIONS ? list.n : MAX_INSTRUCTIONS;
	fprintf(listing->out,
		",\n\"cut\":%s,\"instructionsLeftOut\":%" PRIu32 ",\"instructions\":[",
		list.is_cut ? "true" : "false", list.n - n);
	for (uint32_t i = 0; i < n && !err; i++) {
		fputs(i ? ",\n" : "", listing->out);
		err = write_instruction(listing, &list.all[i]);
	}
	putc(']', listing->out);
	disassembler_destroy(listing->disassembler);
	annotated_instructions_free(&list);
	return err;
}

static int write_function(struct listing *listing)
{
	const struct annotated_function *function = listing->function;
	const struct annotated_code *code = &listing->annotation->codes[function->code];
	const char *kind = function->is_kernel ? "kernel" : "user";
	int err = page_string_write(listing->out, "{\"name\":", function->name);

	if (!err)
		err = page_string_write(listing->out, ",\"module\":", function->module);
	fprintf(listing->out, ",\"kind\":\"%s\"", function->is_inlined ? "inline" : kind);
	if (!err && code->problem)
		err = page_string_write(listing->out, ",\"problem\":", code->problem);
	fputs(",\"costs\":[null", listing->out);
	write_costs(listing, function->slot);
	putc(']', listing->out);
	if (!err)
		err = write_files(listing);
	if (!err)
		err = write_lines(listing);
	if (!err)
		err = write_instructions(listing);
	putc('}', listing->out);
	return err;
}

static int write_functions(FILE *out, const struct page_code *of, struct annotation *annotation)
{
	struct source_files *files = source_files_create(of->moved_sources, of->n_moved_sources);
	int err = files ? 0 : -ENOMEM;

	putc('[', out);
	for (uint32_t i = 0; i < annotation->n_functions && !err; i++) {
		struct listing listing = {
			.out = out,
			.annotation = annotation,
			.function = &annotation->functions[i],
			.files = files,
		};

		fputs(i ? ",\n" : "", out);
		err = write_function(&listing);
	}
	fputs("]\n", out);
	source_files_destroy(files);
	return err;
}

int page_code_write(FILE *out, const struct page_code *of)
{
	const uint32_t metric = of->metric;
	const uint64_t total =
		metric < of->profile->n_metrics ? of->profile->metrics[metric].total : 0;
	const struct hottest_limits limits = {
		.max = MAX_FUNCTIONS,
		.least = total / 100 * LEAST_PERCENT,
	};
	struct annotation *annotation;
	int err = annotation_create_hottest(of->profile, of->symbolizer, metric, &limits,
					    &annotation);

	if (err)
		return err;
	err = write_functions(out, of, annotation);
	annotation_destroy(annotation);
	return err;
}
