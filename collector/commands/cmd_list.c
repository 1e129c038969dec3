/* dendro list: what record -e can name here. */
#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "collector/command-line/event_pattern.h"
#include "collector/command-line/list_output.h"
#include "collector/command-line/pager.h"
#include "collector/command-line/terminal.h"
#include "collector/commands/commands.h"
#include "perf/catalog/catalog_fill.h"
#include "perf/kernel/limits.h"

#define EXIT_USAGE 129

static const char usage[] =
	"usage: dendro list [OPTIONS] [PATTERN...]\n\n"
	"Lists what 'dendro record -e' can record on this machine, by kind, with a line of\n"
	"description each; and what it can't, and why.\n\n"
	"PATTERN is a part of a name, a glob over whole names (*, ?, [...]), or a kind: hardware,\n"
	"cache, software, resource, processor, pmu, tracepoint, probe, breakpoint.\n\n"
	"  -a, --all              name also what cannot be recorded here\n"
	"  -v, --verbose          unit masks of hardware events, fields of tracepoints\n"
	"  -f, --format FORMAT    text (default), json\n"
	"      --no-pager         do not page\n"
	"  -h, --help             this text\n\n"
	"The exit status is 1 if a PATTERN matches nothing, or if nothing that is listed can be\n"
	"recorded here; 129: wrong use.\n";

struct list_options {
	bool names_all, is_verbose, is_json, no_pager;
	char **patterns; /* argv's */
	size_t n_patterns;
};

static int __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
	va_list args;

	fputs("dendro list: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs("\n", stderr);
	return 1;
}

static int parse_format(const char *text, struct list_options *options)
{
	options->is_json = strcmp(text, "json") == 0;
	if (options->is_json || strcmp(text, "text") == 0)
		return 0;
	complain("unknown --format '%s'; it is one of text, json", text);
	return EXIT_USAGE;
}

static int parse_option(int option, const char *text, struct list_options *options)
{
	switch (option) {
	case 'a':
		options->names_all = true;
		return 0;
	case 'v':
		options->is_verbose = true;
		return 0;
	case 'P':
		options->no_pager = true;
		return 0;
	case 'f':
		return parse_format(text, options);
	default:
		fputs("See 'dendro list --help'.\n", stderr);
		return EXIT_USAGE;
	}
}

/* 0, or the exit status; *is_done_ret: the help was asked for. */
static int parse_arguments(int argc, char **argv, struct list_options *options, bool *is_done_ret)
{
	static const struct option long_options[] = {
		{ "all", no_argument, NULL, 'a' },     { "format", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },    { "no-pager", no_argument, NULL, 'P' },
		{ "verbose", no_argument, NULL, 'v' }, { NULL, 0, NULL, 0 },
	};
	static char full_name[] = "dendro list";
	int option;

	argv[0] = full_name; /* getopt's messages begin with it */
	*is_done_ret = false;
	while ((option = getopt_long(argc, argv, "af:hv", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			*is_done_ret = true;
			return 0;
		}
		int status = parse_option(option, optarg, options);
		if (status)
			return status;
	}
	options->patterns = argv + optind;
	options->n_patterns = (size_t)(argc - optind);
	return 0;
}

/* Parts go with their event. Returns how many events match. */
static size_t select_by(const char *pattern, const struct event_catalog *catalog, bool *is_selected)
{
	size_t n = 0;
	bool matches = false;

	for (size_t i = 0; i < catalog->n_entries; i++) {
		const struct catalog_entry *entry = &catalog->entries[i];

		if (!entry->is_part) {
			matches = !pattern || event_pattern_matches(pattern, entry);
			n += matches;
		}
		is_selected[i] |= matches;
	}
	return n;
}

/* Tracepoints that can't be read were not searched. */
static const char *why_incomplete(const struct event_catalog *catalog)
{
	for (size_t i = 0; i < catalog->n_entries; i++)
		if (catalog->entries[i].kind == CATALOG_TRACEPOINT &&
		    !catalog->entries[i].is_spelling)
			return NULL;
	return catalog->kinds[CATALOG_TRACEPOINT].note;
}

static int complain_of_pattern(const char *pattern, const struct event_catalog *catalog)
{
	struct near_names near;

	near_names_init(&near, pattern, strlen(pattern));
	event_catalog_offer_all(catalog, &near);
	_cleanup_free_ char *question = near_names_question(&near);
	const char *why = question && *question ? NULL : why_incomplete(catalog);
	return complain("nothing here is called '%s'%s%s%s", pattern,
			question && *question ? question : ".", why ? " " : "", why ? why : "");
}

/* The exit status. */
static int select_events(const struct list_options *options, const struct event_catalog *catalog,
			 bool *is_selected)
{
	int status = 0;
	bool is_any_recordable = false;

	if (!options->n_patterns)
		select_by(NULL, catalog, is_selected);
	for (size_t i = 0; i < options->n_patterns; i++)
		if (!select_by(options->patterns[i], catalog, is_selected))
			status = complain_of_pattern(options->patterns[i], catalog);
	for (size_t i = 0; i < catalog->n_entries; i++)
		is_any_recordable |= is_selected[i] && catalog->entries[i].is_recordable;
	return is_any_recordable ? status : 1;
}

static int show(const struct list_options *options, const struct event_listing *listing)
{
	struct pager pager = { 0 };

	if (options->is_json) {
		list_write_json(stdout, listing);
	} else {
		if (isatty(STDOUT_FILENO) && !options->no_pager)
			pager_start(&pager);
		list_write_text(stdout, listing);
	}
	/* A reader who has seen enough is no error. */
	int err = fflush(stdout) && errno != EPIPE ? errno : 0;
	pager_finish(&pager);
	return err ? complain("cannot write the list: %s", strerror(err)) : 0;
}

static int list(const struct list_options *options, const struct event_catalog *catalog)
{
	_cleanup_free_ bool *is_selected = calloc(catalog->n_entries + 1, sizeof(*is_selected));

	if (!is_selected)
		return complain("out of memory");
	int status = select_events(options, catalog, is_selected);
	const struct event_listing listing = {
		.catalog = catalog,
		.is_selected = is_selected,
		.names_all = options->names_all || options->n_patterns,
		.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
		.width = terminal_width(),
	};
	int err = show(options, &listing);
	return err ? err : status;
}

int cmd_list(int argc, char **argv)
{
	struct list_options options = { 0 };
	struct perf_limits limits;
	bool is_done;
	int status = parse_arguments(argc, argv, &options, &is_done);

	if (status || is_done)
		return status;
	setlocale(LC_CTYPE, "");
	limits_read(&limits);
	struct event_catalog *catalog = event_catalog_create(&limits, options.is_verbose);
	if (!catalog)
		return complain("out of memory");
	status = list(&options, catalog);
	event_catalog_destroy(catalog);
	return status;
}
