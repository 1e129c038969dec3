/*
 * Folded stacks: a line for each distinct path, its process and its functions from the outermost
 * on, separated by semicolons, a blank and the cost. Source: stackcollapse-perf.pl and
 * flamegraph.pl of github.com/brendangregg/FlameGraph, whose option --color=java knows the suffixes
 * _[k] (kernel),
 * _[i] (inlined) and _[j] (code made at run time).
 */
#include "report/export/folded.h"

#include <errno.h>
#include <inttypes.h>

#include "cct/base/printable.h"
#include "cct/base/stream.h"
#include "cct/paths/path_iterator.h"

/* What can be written as it is. Most names are nothing else. */
static size_t plain_size(const char *text)
{
	size_t size = 0;

	while (text[size] >= ' ' && text[size] <= '~' && text[size] != ';')
		size++;
	return size;
}

/* A semicolon would be another function, so a colon is written in its place. */
static void write_text(FILE *out, const char *text)
{
	char bytes[PRINTABLE_MAX];
	unsigned columns;
	size_t size;

	do {
		size = plain_size(text);
		fwrite(text, 1, size, out);
		text += size;
		size = printable_next(&text, true, bytes, &columns);
		if (size && bytes[0] == ';')
			bytes[0] = ':';
		fwrite(bytes, 1, size, out);
	} while (size);
}

static void write_process(FILE *out, const struct profile_path *path, enum view_grouping grouping)
{
	const struct profile_process *process = path->process;
	const char *name = path->thread ? path->thread->name : process ? process->name : NULL;

	write_text(out, name ? name : "[unknown]");
	if (process && process->n_joined)
		return;
	if (process && grouping != GROUP_COMM)
		fprintf(out, "-%" PRId32, process->pid);
	if (path->thread)
		fprintf(out, "/%" PRId32, path->thread->tid);
}

static const char *suffix_of(const struct profile *profile, const struct frame *frame,
			     const struct frame_name *name)
{
	const struct module *module = module_table_get(&profile->modules, frame->module);

	if (frame->kind == FRAME_KERNEL)
		return "_[k]";
	if (name->is_inlined)
		return "_[i]";
	return module && (module->key.kind == MODULE_JIT || module->key.kind == MODULE_ANON)
		       ? "_[j]"
		       : "";
}

static int write_frame(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		       const struct frame *frame)
{
	const struct frame_name *names;
	size_t n_names;
	int err = symbolizer_expand(symbolizer, frame, &names, &n_names);

	for (size_t i = 0; i < n_names && !err; i++) {
		putc(';', out);
		write_text(out, names[i].name);
		fputs(suffix_of(profile, frame, &names[i]), out);
	}
	return err;
}

static int write_path(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		      const struct profile_path *path, const struct path_options *options)
{
	uint64_t weight = path->costs[options->metric].weight;
	int err = 0;

	if (!weight)
		return 0;
	write_process(out, path, options->grouping);
	for (size_t i = 0; i < path->n_frames && !err; i++) {
		const struct frame *frame = &path->frames[i];

		if (frame->kind != FRAME_MARKER || frame->offset != MARKER_KERNEL)
			err = write_frame(out, profile, symbolizer, frame);
	}
	fprintf(out, " %" PRIu64 "\n", weight);
	return err;
}

int folded_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		 const struct path_options *options)
{
	struct path_iterator iterator;
	struct profile_path path;
	int err = path_iterator_init(&iterator, profile);

	path_options_expect(options, profile->cct->n_nodes);
	while (!err && path_iterator_next(&iterator, &path)) {
		err = write_path(out, profile, symbolizer, &path, options);
		path_options_reached(options, iterator.node);
	}
	path_iterator_deinit(&iterator);
	return err ? err : stream_finish(out);
}
