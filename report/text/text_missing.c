#include "report/text/text_missing.h"

#include <inttypes.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "report/findings/missing.h"
#include "report/findings/runtimes.h"
#include "report/names/debug_packages.h"

#define MAX_LINES   8 /* of one kind */
#define MAX_FILES   4 /* whose packages are named */
#define SHARE_WIDTH 11

static double share(const struct text *text, const struct missing *missing)
{
	uint32_t metric = text->view->options.sort_metric;
	uint64_t all = text->view->root->total[metric];

	return all ? 100.0 * (double)missing_cost(missing, metric) / (double)all : 0;
}

/* Whether a line about missing names mentions the module already. */
static bool is_mentioned(const struct missing_list *list, const struct missing *missing)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct symbol_problem *problem = &list->items[i].problem;

		if (problem->module == missing->problem.module && problem->lack == LACKS_NAMES)
			return missing->problem.lack == LACKS_DEBUG_INFO;
	}
	return false;
}

static void write_build_id(const struct text *text, const char *what,
			   const struct build_id *build_id)
{
	char id[BUILD_ID_TEXT_SIZE];

	build_id_format(build_id, id);
	fprintf(text->output.file, "\n%*s%s %s", SHARE_WIDTH, "", what,
		build_id->size ? id : "none");
}

/* Writes the build ID on the same line if it fits. */
static void write_own_build_id(const struct text *text, const struct build_id *build_id,
			       unsigned column)
{
	char id[BUILD_ID_TEXT_SIZE];

	if (!build_id->size)
		return;
	build_id_format(build_id, id);
	bool fits = column + sizeof("; build ID ") + 2u * build_id->size <= text->output.width;
	if (fits)
		fprintf(text->output.file, "; build ID %s", id);
	else
		write_build_id(text, "build ID", build_id);
}

static void write_line(const struct text *text, const struct missing *missing)
{
	const struct symbol_problem *problem = &missing->problem;
	const char *name =
		module_name(module_table_get(&text->view->profile->modules, problem->module));
	unsigned column = SHARE_WIDTH;

	fprintf(text->output.file, "%8.2f%%  ", share(text, missing));
	column +=
		printable_write(text->output.file, name, text->output.width / 2, text->output.utf8);
	/* For debug information, the heading states the problem. */
	if (problem->lack != LACKS_DEBUG_INFO)
		column += (unsigned)fprintf(text->output.file, ": %s", problem->text);
	text_style_begin(&text->output, STYLE_DIM);
	if (problem->is_changed && problem->build_id.size) {
		write_build_id(text, "build ID recorded", &problem->build_id);
		write_build_id(text, "            found", &problem->found);
	} else {
		write_own_build_id(text, &problem->build_id, column);
	}
	text_style_end(&text->output, STYLE_DIM);
	putc('\n', text->output.file);
}

/* Whether a problem gets a line: its cost is large enough, and there are not too many lines. */
static bool is_shown(const struct text *text, const struct missing *missing, unsigned n_lines)
{
	return n_lines < MAX_LINES && share(text, missing) >= text->options->min_percent;
}

static void write_kind(const struct text *text, const struct missing_list *list,
		       enum symbol_lack lack, const char *heading)
{
	unsigned n = 0, n_lines = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct missing *missing = &list->items[i];

		if (missing->problem.lack != lack || is_mentioned(list, missing))
			continue;
		if (!n++) {
			text_style_begin(&text->output, STYLE_WARNING);
			fprintf(text->output.file, "%s\n", heading);
			text_style_end(&text->output, STYLE_WARNING);
		}
		if (!is_shown(text, missing, n_lines))
			continue;
		write_line(text, missing);
		n_lines++;
	}
	if (n > n_lines && n_lines)
		fprintf(text->output.file, "%*sand %u more (--format json lists all)\n",
			SHARE_WIDTH, "", n - n_lines);
	else if (n > n_lines)
		fprintf(text->output.file, "%*s%u module%s below %g %% (--format json lists all)\n",
			SHARE_WIDTH, "", n, n == 1 ? "" : "s", text->options->min_percent);
}

/* Writes where the symbols of stripped files are; of another machine's, only that they exist. */
static void write_packages(const struct text *text, const struct missing_list *list)
{
	const struct profile *profile = text->view->profile;
	const uint32_t metric = text->view->options.sort_metric;
	const double least =
		text->options->min_percent / 100 * (double)text->view->root->total[metric];
	const char *paths[MAX_FILES];
	_cleanup_free_ char *command = NULL;

	if (debug_packages_are_here(profile->info.hostname, profile->info.os_release))
		command = debug_packages_command(
			"", paths,
			missing_list_stripped(list, profile, metric, least, paths, MAX_FILES));
	if (command)
		fprintf(text->output.file, "Symbols of stripped files: %s\n", command);
	else
		fputs("Debug packages contain the symbols of stripped files.\n", text->output.file);
}

/* Writes how to get the missing files of modules that have a line. */
static void write_hints(const struct text *text, const struct missing_list *list)
{
	bool has_files = false, has_debug = false;

	for (size_t i = 0; i < list->n; i++) {
		const struct symbol_problem *problem = &list->items[i].problem;
		bool is_gone = problem->is_changed || problem->error;

		if (share(text, &list->items[i]) < text->options->min_percent)
			continue;
		has_files |= is_gone;
		has_debug |= !is_gone && problem->build_id.size;
	}
	text_style_begin(&text->output, STYLE_DIM);
	if (has_debug)
		write_packages(text, list);
	if (has_files || has_debug)
		fputs("--debuginfod fetches by build ID; --symfs DIR reads a sysroot.\n",
		      text->output.file);
	text_style_end(&text->output, STYLE_DIM);
}

/* Writes what run-time systems need to name their functions. */
static int write_advice(const struct text *text, bool has_list)
{
	const char *advice[RUNTIMES_MAX];
	size_t n;
	int err = runtimes_find(text->view->profile, text->symbolizer,
				text->view->options.sort_metric, text->options->min_percent, advice,
				&n);

	if (err)
		return err;
	if (n && !has_list)
		putc('\n', text->output.file);
	text_style_begin(&text->output, STYLE_DIM);
	for (size_t i = 0; i < n; i++)
		fprintf(text->output.file, "%s\n", advice[i]);
	text_style_end(&text->output, STYLE_DIM);
	return 0;
}

int text_missing_write(const struct text *text)
{
	struct missing_list list;
	int err = missing_list_init(&list, text->view->profile, text->symbolizer,
				    text->view->options.sort_metric);

	if (err)
		return err;
	if (list.n)
		putc('\n', text->output.file);
	write_kind(text, &list, LACKS_CERTAINTY, "Files that may not be those recorded:");
	write_kind(text, &list, LACKS_NAMES, "Names are missing:");
	write_kind(text, &list, LACKS_DEBUG_INFO,
		   "Debug information is missing (inlined functions, source lines):");
	write_hints(text, &list);
	err = write_advice(text, list.n > 0);
	missing_list_deinit(&list);
	return err;
}
