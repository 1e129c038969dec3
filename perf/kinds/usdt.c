#include "perf/kinds/usdt.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/sentence.h"
#include "cct/object/elf_probes.h"
#include "perf/events/weight_terms.h"
#include "perf/kinds/probe_argument.h"
#include "perf/kinds/program_path.h"

static const char prefix[] = "usdt:";

/* A program with its probes. */
struct program {
	char name[PATH_MAX], path[PATH_MAX];
	struct elf_probes probes;
};

/* @name: "PROGRAM" of @length bytes. */
static enum event_error open_program(struct program *program, const char *name, size_t length,
				     char **error_ret)
{
	program->probes = (struct elf_probes){ .n = 0 };
	if (!length || length >= PATH_MAX)
		return event_fail(EVENT_UNKNOWN, error_ret,
				  sentence("'usdt:%s': a static probe is written as "
					   "usdt:PROGRAM:PROVIDER:NAME; 'dendro list "
					   "usdt:PROGRAM' shows them.",
					   name));
	snprintf(program->name, sizeof(program->name), "%.*s", (int)length, name);
	int err = program_path_find(program->name, program->path);
	if (err)
		return event_fail(EVENT_UNKNOWN, error_ret,
				  program_path_explain(program->name, err, program->path));
	err = elf_probes_read(program->path, &program->probes);
	if (err == -EINVAL)
		return event_fail(EVENT_UNKNOWN, error_ret,
				  sentence("'%s' is not an ELF file.", program->path));
	if (err)
		return event_fail(
			EVENT_UNKNOWN, error_ret,
			sentence("'%s' can't be read: %s.", program->path, strerror(-err)));
	if (program->probes.n)
		return EVENT_OK;
	const bool is_bad = program->probes.n_bad;
	elf_probes_deinit(&program->probes);
	return event_fail(
		EVENT_UNKNOWN, error_ret,
		sentence(is_bad ? "'%s' has static probes (USDT), but their notes make no "
				  "sense."
				: "'%s' has no static probes (USDT).",
			 program->path));
}

static void offer_names(const struct elf_probes *probes, struct near_names *near)
{
	for (size_t i = 0; i < probes->n; i++) {
		char *name = sentence("%s:%s", probes->probes[i].provider, probes->probes[i].name);

		if (name)
			near_names_offer(near, name);
		free(name);
	}
}

static enum event_error explain_unknown(const struct program *program, const char *name,
					char **error_ret)
{
	struct near_names near;

	near_names_init(&near, name, strlen(name));
	offer_names(&program->probes, &near);
	char *question = near_names_question(&near);
	char *text = !question   ? NULL
		     : *question ? sentence("'%s' has no static probe '%s'%s", program->path, name,
					    question)
				 : sentence("'%s' has no static probe '%s'; 'dendro list usdt:%s' "
					    "shows them.",
					    program->path, name, program->name);
	free(question);
	return event_fail(EVENT_UNKNOWN, error_ret, text);
}

/* Finds what is to be fetched at a site. */
static enum event_error find_fetch(const char *name, const char *expression,
				   const struct program *program, const struct elf_probe *probe,
				   struct event_fetch *fetch, char **error_ret)
{
	struct probe_argument argument;

	if (!*expression)
		return EVENT_OK;
	if (!probe_argument_parse(expression, &argument))
		return event_fail(EVENT_UNKNOWN, error_ret,
				  sentence("'%s': '%s' is no argument of a probe: they are arg1, "
					   "arg2 and so on, and str(arg1) is the text that one "
					   "points to.",
					   name, expression));
	const char *wrong =
		probe_argument_of_note(&argument, program->probes.machine, probe->arguments, fetch);
	return wrong ? event_fail(EVENT_NOT_HERE, error_ret,
				  sentence("'%s': '%s' %s. The arguments there are: %s.", name,
					   expression, wrong,
					   *probe->arguments ? probe->arguments : "none"))
		     : EVENT_OK;
}

static bool has_same_type(const struct event_fetch *a, const struct event_fetch *b)
{
	return a->kind == b->kind && a->size == b->size && !a->check[0] == !b->check[0];
}

static bool has_same_types(const struct probe_site *a, const struct probe_site *b)
{
	return has_same_type(&a->weight, &b->weight) && has_same_type(&a->value, &b->value);
}

static bool set_expressions(struct event *event, const struct weight_terms *terms)
{
	event->weight_expression = terms->weight[0] ? strdup(terms->weight) : NULL;
	event->value_expression = terms->value[0] ? strdup(terms->value) : NULL;
	return !event->weight_expression == !terms->weight[0] &&
	       !event->value_expression == !terms->value[0];
}

/* The event of all sites that have the same types; a new one if there is none. NULL: no memory. */
static struct event *event_for(struct event_list *found, const struct program *program,
			       const struct probe_site *site, const struct weight_terms *terms)
{
	for (size_t i = 0; i < found->n_events; i++)
		if (has_same_types(&found->events[i].sites[0], site))
			return &found->events[i];
	struct event *event = event_list_add(found);
	if (!event)
		return NULL;
	event->probed_path = strdup(program->path);
	event->unit = terms->unit;
	event->default_period = 1;
	return event->probed_path && set_expressions(event, terms) ? event : NULL;
}

static enum event_error add_site(const char *name, const struct program *program,
				 const struct elf_probe *probe, const struct weight_terms *terms,
				 struct event_list *found, char **error_ret)
{
	struct probe_site site = { .offset = probe->offset, .semaphore = probe->semaphore };
	enum event_error error =
		find_fetch(name, terms->weight, program, probe, &site.weight, error_ret);

	if (error == EVENT_OK)
		error = find_fetch(name, terms->value, program, probe, &site.value, error_ret);
	if (error == EVENT_OK && site.weight.kind == EVENT_VALUE_STRING)
		error = event_fail(EVENT_UNKNOWN, error_ret,
				   sentence("'%s': a text is no weight; it can be a value.", name));
	if (error != EVENT_OK)
		return error;
	struct event *event = event_for(found, program, &site, terms);
	struct probe_site *sites =
		event ? reallocarray(event->sites, event->n_sites + 1, sizeof(*sites)) : NULL;
	if (!sites)
		return EVENT_NO_MEMORY;
	event->sites = sites;
	sites[event->n_sites++] = site;
	return EVENT_OK;
}

/* @probe: "PROVIDER:NAME". */
static enum event_error add_sites(const char *name, const struct program *program,
				  const char *probe, const struct weight_terms *terms,
				  struct event_list *found, char **error_ret)
{
	const size_t colon = strcspn(probe, ":");
	enum event_error error = EVENT_OK;

	for (size_t i = 0; i < program->probes.n && error == EVENT_OK; i++) {
		const struct elf_probe *known = &program->probes.probes[i];

		if (strlen(known->provider) == colon &&
		    strncmp(known->provider, probe, colon) == 0 &&
		    strcmp(known->name, probe + colon + 1) == 0)
			error = add_site(name, program, known, terms, found, error_ret);
	}
	if (error == EVENT_OK && !found->n_events)
		return explain_unknown(program, probe, error_ret);
	return error;
}

/* The last but one ':' of @length bytes: paths may have some, too. NULL: there are fewer. */
static const char *find_probe(const char *place, size_t length)
{
	const char *name = memrchr(place, ':', length);
	const char *provider = name ? memrchr(place, ':', (size_t)(name - place)) : NULL;

	return provider && name + 1 < place + length && name > provider + 1 ? provider + 1 : NULL;
}

static enum event_error find(const struct event_places *places, const char *name,
			     struct event_list *found, char **error_ret)
{
	struct weight_terms terms;
	struct program program;

	(void)places;
	*error_ret = NULL;
	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return EVENT_UNKNOWN;
	const char *place = name + strlen(prefix);
	size_t length = strlen(place);
	if (!weight_terms_cut(place, &length, &terms, error_ret))
		return *error_ret ? EVENT_UNKNOWN : EVENT_NO_MEMORY;
	const char *provider = find_probe(place, length);
	enum event_error error = open_program(
		&program, place, provider ? (size_t)(provider - 1 - place) : 0, error_ret);
	if (error != EVENT_OK)
		return error;
	char *probe = strndup(provider, (size_t)(place + length - provider));
	error = probe ? add_sites(name, &program, probe, &terms, found, error_ret)
		      : EVENT_NO_MEMORY;
	free(probe);
	elf_probes_deinit(&program.probes);
	return error;
}

static enum event_error find_of_perf(const struct event_places *places, const char *name,
				     struct event_list *found, char **error_ret)
{
	static const char theirs[] = "sdt_";
	const size_t colon = strcspn(name, ":");

	(void)places;
	(void)found;
	*error_ret = NULL;
	if (strncmp(name, theirs, strlen(theirs)) != 0 || !name[colon])
		return EVENT_UNKNOWN;
	return event_fail(
		EVENT_UNKNOWN, error_ret,
		sentence("The kernel has no tracepoint '%s'. A static probe is written as "
			 "usdt:PROGRAM:%.*s%s; 'dendro list usdt:PROGRAM' shows those of "
			 "a program.",
			 name, (int)(colon - strlen(theirs)), name + strlen(theirs), name + colon));
}

const struct event_kind usdt_event_kind = { find, NULL };
const struct event_kind perf_usdt_event_kind = { find_of_perf, NULL };

/* All sites of the probe at @i, as one entry. Returns the index after them. */
static size_t list_probe(const struct program *program, size_t i, const char *pattern,
			 struct event_catalog *catalog, int *err)
{
	const struct elf_probe *probes = program->probes.probes, *first = &probes[i];
	size_t end = i + 1;
	char places[64] = "";

	while (end < program->probes.n && strcmp(probes[end].provider, first->provider) == 0 &&
	       strcmp(probes[end].name, first->name) == 0)
		end++;
	char *probe = sentence("%s:%s", first->provider, first->name);
	char *name = probe ? sentence("usdt:%s:%s", program->name, probe) : NULL;
	if (end - i > 1)
		snprintf(places, sizeof(places), "%s%zu sites", *first->arguments ? "; " : "",
			 end - i);
	char *description = sentence("%s%s", first->arguments, places);
	if (!name || !description)
		*err = -ENOMEM;
	else if (fnmatch(pattern, probe, 0) == 0)
		*err = event_catalog_add(catalog, CATALOG_PROBE, name, NULL, description);
	free(description);
	free(name);
	free(probe);
	return end;
}

static enum event_error list_program(const struct program *program, const char *pattern,
				     struct event_catalog *catalog, char **error_ret)
{
	const size_t n_before = catalog->n_entries;
	int err = 0;

	for (size_t i = 0; i < program->probes.n && !err;)
		i = list_probe(program, i, pattern, catalog, &err);
	if (err)
		return EVENT_NO_MEMORY;
	return catalog->n_entries > n_before ? EVENT_OK
					     : explain_unknown(program, pattern, error_ret);
}

enum event_error usdt_list(const char *spelling, struct event_catalog *catalog, char **error_ret)
{
	struct program program;

	*error_ret = NULL;
	if (strncmp(spelling, prefix, strlen(prefix)) != 0)
		return EVENT_UNKNOWN;
	const char *place = spelling + strlen(prefix);
	const char *probe = find_probe(place, strlen(place));
	enum event_error error = open_program(
		&program, place, probe ? (size_t)(probe - 1 - place) : strlen(place), error_ret);
	if (error != EVENT_OK)
		return error;
	error = list_program(&program, probe ? probe : "*", catalog, error_ret);
	elf_probes_deinit(&program.probes);
	return error;
}
