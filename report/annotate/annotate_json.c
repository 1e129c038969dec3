/* Annotated functions as one JSON object; docs/FORMAT.md describes it. */
#include <errno.h>
#include <inttypes.h>

#include "cct/base/hex.h"
#include "cct/base/stream.h"
#include "cct/text/json_string.h"
#include "report/annotate/annotate_code.h"
#include "report/annotate/annotate_output.h"
#include "report/code/disassembly.h"
#include "report/names/source_file.h"

#define TEXT_SIZE 16384

struct json {
	FILE *out;
	struct annotation *annotation;
	const struct annotate_options *options;
	struct source_files *files; /* NULL: source text is not requested */
};

static void write_numbers(FILE *out, const char *key, const uint64_t *numbers, uint32_t n)
{
	fprintf(out, "\"%s\":[", key);
	for (uint32_t i = 0; i < n; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", numbers[i]);
	putc(']', out);
}

static void write_costs(const struct json *json, uint32_t slot)
{
	uint32_t n = json->annotation->n_metrics;

	write_numbers(json->out, "self", annotation_self(json->annotation, slot), n);
	putc(',', json->out);
	write_numbers(json->out, "total", annotation_total(json->annotation, slot), n);
}

static void write_string(const struct json *json, const char *before, const char *text)
{
	fputs(before, json->out);
	json_write_string(json->out, text);
}

static void write_metrics(const struct json *json)
{
	const struct profile *profile = json->annotation->profile;

	fputs("{\"metrics\":[", json->out);
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		const struct metric *metric = &profile->metrics[i];

		write_string(json, i ? ",\n  {\"event\":" : "\n  {\"event\":", metric->name);
		write_string(json, ",\"unit\":", metric->unit);
		fprintf(json->out, ",\"samples\":%" PRIu64 ",\"total\":%" PRIu64 "}",
			metric->samples, metric->total);
	}
	fputs("],\n", json->out);
}

/* Writes file and line as members of an object that has begun. */
static void write_place(const struct json *json, uint32_t path, uint32_t line)
{
	if (path == ANNOTATE_NONE)
		return;
	write_string(json, ",\"file\":", annotation_path(json->annotation, path));
	fprintf(json->out, ",\"line\":%" PRIu32, line);
}

static int write_source_text(const struct json *json, uint32_t path, uint32_t line)
{
	char text[SOURCE_LINE_MAX_SIZE];
	const struct source_file *file;

	if (!json->files || path == ANNOTATE_NONE)
		return 0;
	file = source_files_get(json->files, annotation_path(json->annotation, path));
	if (!file)
		return -ENOMEM;
	if (file->problem || line > file->n_lines)
		return 0;
	source_file_line(file, line, text);
	write_string(json, ",\"text\":", text);
	return 0;
}

static void write_parts(const struct json *json, const struct annotated_function *function,
			const struct annotated_line *line)
{
	uint32_t n;
	const struct annotated_part *parts =
		annotated_parts_of_line(json->annotation, function, line, &n);

	for (uint32_t i = 0; i < n; i++) {
		const struct annotated_part *part = &parts[i];

		write_string(json, i ? ",{\"name\":" : ",\"inlined\":[{\"name\":", part->inlined);
		write_place(json, part->path, part->line);
		putc(',', json->out);
		write_costs(json, part->slot);
		putc('}', json->out);
	}
	if (n)
		putc(']', json->out);
}

static void write_executed(const struct json *json, const struct executed_counts *counts)
{
	fprintf(json->out,
		",\"executed\":%" PRIu64 ",\"taken\":%" PRIu64 ",\"mispredicted\":%" PRIu64,
		counts->executed, counts->taken, counts->mispredicted);
}

static int write_lines(const struct json *json, const struct annotated_function *function,
		       const struct annotated_instructions *list)
{
	const struct executed_code *executed = json->options->executed;
	int err = 0;

	fputs(",\n \"lines\":[", json->out);
	for (uint32_t i = 0; i < function->n_lines && !err; i++) {
		const struct annotated_line *line =
			&json->annotation->lines[function->first_line + i];

		fputs(i ? ",\n  {" : "\n  {", json->out);
		write_costs(json, line->slot);
		write_place(json, line->path, line->line);
		err = write_source_text(json, line->path, line->line);
		write_parts(json, function, line);
		if (executed) {
			const struct executed_counts counts = annotated_line_executed(
				json->annotation, function, executed, list, line->path, line->line);

			write_executed(json, &counts);
		}
		putc('}', json->out);
	}
	putc(']', json->out);
	return err;
}

static void write_bytes(FILE *out, const uint8_t *bytes, uint32_t size)
{
	fputs(",\"bytes\":\"", out);
	hex_write(out, bytes, size);
	putc('"', out);
}

static void write_zeros(const struct json *json)
{
	for (int kind = 0; kind < 2; kind++) {
		fputs(kind ? ",\"total\":[" : "\"self\":[", json->out);
		for (uint32_t i = 0; i < json->annotation->n_metrics; i++)
			fputs(i ? ",0" : "0", json->out);
		putc(']', json->out);
	}
}

static int write_instruction(const struct json *json, const struct annotated_function *function,
			     struct disassembler *disassembler,
			     const struct annotated_instruction *instruction)
{
	const uint8_t *bytes = annotated_bytes(json->annotation, instruction);
	const struct annotated_place *place = &instruction->place;
	char text[TEXT_SIZE];
	int err = annotated_text(json->annotation, disassembler, instruction, text, sizeof(text));

	if (err)
		return err;
	fprintf(json->out, "{\"address\":\"0x%" PRIx64 "\"", instruction->vaddr);
	if (bytes) {
		write_bytes(json->out, bytes, instruction->size);
		write_string(json, ",\"text\":", text);
	}
	write_place(json, place->path, place->line);
	if (place->inlined) {
		write_string(json, ",\"inlined\":{\"name\":", place->inlined);
		write_place(json, place->inlined_path, place->inlined_line);
		putc('}', json->out);
	}
	putc(',', json->out);
	if (instruction->slot == ANNOTATE_NONE)
		write_zeros(json);
	else
		write_costs(json, instruction->slot);
	if (json->options->executed) {
		const struct executed_counts counts = annotated_executed(
			json->annotation, function, json->options->executed, instruction);

		write_executed(json, &counts);
	}
	putc('}', json->out);
	return 0;
}

static int write_instructions(const struct json *json, const struct annotated_function *function,
			      const struct annotated_instructions *list)
{
	struct disassembler *disassembler = NULL;
	const struct annotated_code *code = &json->annotation->codes[function->code];
	int err = 0;

	if (code->bytes && disassembler_create(code->machine, json->options->intel_syntax,
					       &disassembler) == -ENOMEM)
		return -ENOMEM;
	fprintf(json->out, ",\n \"cut\":%s,\n \"instructions\":[", list->is_cut ? "true" : "false");
	for (uint32_t i = 0; i < list->n && !err; i++) {
		fputs(i ? ",\n  " : "\n  ", json->out);
		err = write_instruction(json, function, disassembler, &list->all[i]);
	}
	putc(']', json->out);
	disassembler_destroy(disassembler);
	return err;
}

static int write_function(const struct json *json, const struct annotated_function *function)
{
	const struct annotated_code *code = &json->annotation->codes[function->code];
	const char *kind = function->is_kernel ? "kernel" : "user";

	write_string(json, "{\"name\":", function->name);
	write_string(json, ",\"module\":", function->module);
	write_string(json, ",\"path\":", function->module_path);
	write_string(json, ",\"kind\":", function->is_inlined ? "inline" : kind);
	if (!function->is_inlined)
		fprintf(json->out, ",\"start\":\"0x%" PRIx64 "\",\"size\":%" PRIu64, code->start,
			code->size);
	if (code->problem)
		write_string(json, ",\"problem\":", code->problem);
	putc(',', json->out);
	write_costs(json, function->slot);
	putc(',', json->out);
	write_numbers(json->out, "samples", annotation_samples(json->annotation, function->slot),
		      json->annotation->n_metrics);
	struct annotated_instructions list;
	int err = annotated_instructions_list(json->annotation, function, false, &list);

	if (err)
		return err;
	err = write_lines(json, function, &list);
	if (!err)
		err = write_instructions(json, function, &list);
	putc('}', json->out);
	annotated_instructions_free(&list);
	return err;
}

int annotate_write_json(FILE *out, struct annotation *annotation,
			const struct annotate_options *options)
{
	struct json json = { .out = out, .annotation = annotation, .options = options };
	int err = 0;

	if (!options->no_source) {
		json.files = source_files_create(options->moved, options->n_moved);
		if (!json.files)
			return -ENOMEM;
	}
	write_metrics(&json);
	fputs("\"functions\":[", out);
	for (uint32_t i = 0; i < annotation->n_functions && !err; i++) {
		fputs(i ? ",\n" : "\n", out);
		err = write_function(&json, &annotation->functions[i]);
	}
	fputs("]}\n", out);
	source_files_destroy(json.files);
	return err ? err : stream_finish(out);
}
