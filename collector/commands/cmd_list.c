/* dendro list: shows which events dendro record -e can record here. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "collector/command-line/event_pattern.h"
#include "collector/command-line/list_output.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/command-line/pager.h"
#include "collector/command-line/terminal.h"
#include "collector/commands/commands.h"
#include "perf/catalog/catalog_fill.h"
#include "perf/kernel/limits.h"
#include "perf/kinds/usdt.h"
#include "report/terminal/character_set.h"

struct list_options {
	bool names_all, is_verbose, no_pager;
	enum text_or_json format;
	char **patterns; /* argv's */
	size_t n_patterns;
};

static const struct command_option options_of_list[] = {
	{ .name = "all",
	  .letter = 'a',
	  .help = "name the events that cannot be recorded here, too, instead of counting them",
	  .take = option_take_flag,
	  .offset = offsetof(struct list_options, names_all) },
	{ .name = "verbose",
	  .letter = 'v',
	  .help = "list the unit masks of hardware events and the fields of tracepoints",
	  .take = option_take_flag,
	  .offset = offsetof(struct list_options, is_verbose) },
	{ .shared = text_or_json_option, .offset = offsetof(struct list_options, format) },
	{ .shared = pager_option, .offset = offsetof(struct list_options, no_pager) },
	{ 0 },
};

const struct command_line list_line = {
	.command = "list",
	.synopsis = "[OPTIONS] [PATTERN...]",
	.description = "Lists what 'dendro record -e' can record on this machine, by kind, with a "
		       "line of\n"
		       "description each; and what it cannot record, and why.\n\n"
		       "PATTERN is a part of a name, a glob over whole names (*, ?, [...]), or a "
		       "kind: hardware,\n"
		       "cache, software, resource, processor, pmu, tracepoint, probe, breakpoint.\n"
		       "usdt:PROGRAM, or usdt:PROGRAM:PROVIDER:NAME with a glob, lists the static "
		       "probes of a\n"
		       "program or library.",
	.options = options_of_list,
	.notes = "The exit status is 1 if a PATTERN matches nothing, or if nothing that is listed "
		 "can be\n"
		 "recorded here, and 129 after wrong use.",
};

/* Selects events with their parts. Returns the number of events that match. */
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

/* Adds that tracepoints were not searched if they cannot be read. */
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
	return message_error("list", "no event here matches '%s'%s%s%s", pattern,
			     question && *question ? question : ".", why ? " " : "",
			     why ? why : "");
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

	if (options->format == AS_JSON) {
		list_write_json(stdout, listing);
	} else {
		if (isatty(STDOUT_FILENO) && !options->no_pager)
			pager_start(&pager);
		list_write_text(stdout, listing);
	}
	/* It is not an error if the reader closes the pipe early. */
	int err = fflush(stdout) && errno != EPIPE ? errno : 0;
	pager_finish(&pager);
	return err ? message_error("list", "cannot write the list: %s.", strerror(err)) : 0;
}

static int list(const struct list_options *options, const struct event_catalog *catalog)
{
	_cleanup_free_ bool *is_selected = calloc(catalog->n_entries + 1, sizeof(*is_selected));

	if (!is_selected)
		return message_error_of_memory("list");
	int status = select_events(options, catalog, is_selected);
	const struct event_listing listing = {
		.catalog = catalog,
		.is_selected = is_selected,
		.names_all = options->names_all || options->n_patterns,
		.utf8 = character_set_is_utf8(),
		.width = terminal_width(),
	};
	int err = show(options, &listing);
	return err ? err : status;
}

/* Adds the static probes of the programs that patterns name. An exit status, after a message. */
static int add_static_probes(const struct list_options *options, struct event_catalog *catalog)
{
	for (size_t i = 0; i < options->n_patterns; i++) {
		const size_t n_before = catalog->n_entries;
		char *error_text;
		enum event_error error = usdt_list(options->patterns[i], catalog, &error_text);
		_cleanup_free_ char *text = error_text;

		if (error == EVENT_NO_MEMORY)
			return message_error_of_memory("list");
		if (text)
			return message_error("list", "%s", text);
		for (size_t at = n_before; at < catalog->n_entries; at++)
			catalog->entries[at].is_recordable =
				catalog->kinds[CATALOG_PROBE].is_recordable;
	}
	return 0;
}

int cmd_list(int argc, char **argv, struct configuration *configuration)
{
	struct list_options options = { 0 };
	struct perf_limits limits;
	struct parsed_line parsed = options_parse(&list_line, configuration, argc, argv, &options);

	if (parsed.is_done)
		return parsed.status;
	options.patterns = parsed.operands;
	options.n_patterns = parsed.n_operands;
	character_set_take();
	limits_read(&limits);
	struct event_catalog *catalog = catalog_fill_create(&limits, options.is_verbose);
	if (!catalog)
		return message_error_of_memory("list");
	int status = add_static_probes(&options, catalog);
	if (!status)
		status = list(&options, catalog);
	event_catalog_destroy(catalog);
	return status;
}
