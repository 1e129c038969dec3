#include "perf/kinds/uprobe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/sentence.h"
#include "cct/object/elf_function.h"
#include "perf/events/weight_terms.h"
#include "perf/kinds/ifunc_choice.h"
#include "perf/kinds/probe_argument.h"
#include "perf/kinds/program_path.h"

#define PMU "/sys/bus/event_source/devices/uprobe/"

static const struct {
	const char *prefix;
	bool is_return;
} kinds[] = {
	{ "call:", false },
	{ "uprobe:", false },
	{ "uretprobe:", true },
};

/* The text after the prefix; NULL: not a probe. */
static const char *skip_prefix(const char *name, bool *is_return)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i].prefix);

		if (strncmp(name, kinds[i].prefix, length) == 0) {
			*is_return = kinds[i].is_return;
			return name + length;
		}
	}
	return NULL;
}

static bool read_argument(const char **text, uint8_t *ret)
{
	unsigned number;
	int length = 0;

	if (sscanf(*text, "arg%2u%n", &number, &length) != 1 || !number ||
	    number > EVENT_ARGUMENT_MAX)
		return false;
	*ret = (uint8_t)number;
	*text += length;
	return true;
}

bool uprobe_read_weight(const char *text, struct event_weight *weight)
{
	struct event_weight read = { .kind = WEIGHT_ARGUMENT };

	if (!read_argument(&text, &read.argument))
		return false;
	if (*text == '*') {
		text++;
		if (!read_argument(&text, &read.factor))
			return false;
	}
	*weight = read;
	return !*text;
}

/* Reads the first number in a file. */
static bool read_number(const char *path, uint32_t *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a FIFO must not block */
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (!file)
		return false;
	int n = fscanf(file, "%*[^0-9]%u", ret);
	if (n != 1) {
		rewind(file);
		n = fscanf(file, "%u", ret);
	}
	fclose(file);
	return n == 1;
}

static enum event_error find_pmu(bool is_return, struct perf_event_attr *attr, char **error_ret)
{
	uint32_t bit = 0;

	if (!read_number(PMU "type", &attr->type))
		return event_fail(EVENT_NOT_HERE, error_ret,
				  sentence("This kernel has no probes on functions of programs "
					   "(CONFIG_UPROBE_EVENTS; %s does not exist).",
					   PMU));
	if (!is_return)
		return EVENT_OK;
	if (!read_number(PMU "format/retprobe", &bit) || bit > 63)
		return event_fail(EVENT_NOT_HERE, error_ret,
				  sentence("This kernel does not describe how to probe returns."));
	attr->config |= 1ull << bit;
	return EVENT_OK;
}

static enum event_error explain_function(const char *path, const char *function, int err,
					 char **error_ret)
{
	struct elf_function ignored;
	struct near_names near;

	if (err == -EINVAL)
		return event_fail(EVENT_UNKNOWN, error_ret,
				  sentence("'%s' is not an ELF file.", path));
	if (err == -ENOEXEC)
		return event_fail(EVENT_UNKNOWN, error_ret,
				  sentence("'%s' has no code for '%s'.", path, function));
	if (err != -ENOENT)
		return event_fail(EVENT_UNKNOWN, error_ret,
				  sentence("'%s' can't be read: %s.", path, strerror(-err)));
	near_names_init(&near, function, strlen(function));
	elf_function_find(path, "", &ignored, &near);
	char *question = near_names_question(&near);
	char *text = question ? sentence("'%s' has no symbol for a function '%s'%s.", path,
					 function, question)
			      : NULL;
	free(question);
	return event_fail(EVENT_UNKNOWN, error_ret, text);
}

static enum event_error find_function(const char *path, const char *function,
				      struct elf_function *found, char **error_ret)
{
	int err = elf_function_find(path, function, found, NULL);

	if (err)
		return explain_function(path, function, err, error_ret);
	if (!found->is_ifunc)
		return EVENT_OK;
	err = ifunc_choice_find(path, function, found->vaddr, &found->offset);
	if (err == -ENOMEM)
		return EVENT_NO_MEMORY;
	if (err)
		return event_fail(
			EVENT_NOT_HERE, error_ret,
			sentence("'%s' of %s is an IFUNC: when a program starts, one "
				 "of several functions is chosen for the processor. No "
				 "process whose memory can be read shows which of this file. "
				 "Probe one of these functions.",
				 function, path));
	return EVENT_OK;
}

static enum event_error explain_spelling(const char *name, char **error_ret)
{
	return event_fail(EVENT_UNKNOWN, error_ret,
			  sentence("'%s': a probe is written as call:LIB:FUNCTION or "
				   "uprobe:LIB:FUNCTION/weight=arg1/, where FUNCTION is a "
				   "symbol.",
				   name));
}

/* Splits "LIB:FUNCTION" of @length bytes at the last ':'. */
static enum event_error find_place(const char *name, const char *place, size_t length,
				   struct event *event, struct elf_function *found,
				   char **error_ret)
{
	const char *colon = memrchr(place, ':', length);
	char library[PATH_MAX], function[1024], path[PATH_MAX];
	size_t function_length = colon ? (size_t)(place + length - (colon + 1)) : 0;

	if (!function_length || colon == place || colon - place >= PATH_MAX ||
	    function_length >= sizeof(function))
		return explain_spelling(name, error_ret);
	snprintf(library, sizeof(library), "%.*s", (int)(colon - place), place);
	snprintf(function, sizeof(function), "%.*s", (int)function_length, colon + 1);
	int err = program_path_find(library, path);
	if (err)
		return event_fail(EVENT_UNKNOWN, error_ret,
				  program_path_explain(library, err, path));
	enum event_error error = find_function(path, function, found, error_ret);
	if (error != EVENT_OK)
		return error;
	event->attr.config2 = found->offset;
	event->probed_path = strdup(path);
	event->attr.config1 = (uintptr_t)event->probed_path;
	return event->probed_path ? EVENT_OK : EVENT_NO_MEMORY;
}

static enum event_error explain_weight(const char *name, bool is_return, char **error_ret)
{
	return event_fail(
		EVENT_UNKNOWN, error_ret,
		is_return ? sentence("'%s': a return has no arguments, which a weight or "
				     "a value could be.",
				     name)
			  : sentence("'%s': a text is no weight; it can be a value.", name));
}

/* An argument by its number is fetched from where the ABI puts it. */
static enum event_error find_argument(const char *name, const char *expression, uint16_t machine,
				      struct event_fetch *fetch, char **error_ret)
{
	struct probe_argument argument;

	if (!probe_argument_parse(expression, &argument))
		return EVENT_OK;
	const char *wrong = probe_argument_of_call(&argument, machine, fetch);
	return wrong ? event_fail(EVENT_NOT_HERE, error_ret,
				  sentence("'%s': '%s' %s.", name, expression, wrong))
		     : EVENT_OK;
}

/* What the kernel is to fetch. */
static enum event_error add_fetches(const char *name, const struct weight_terms *terms,
				    const struct elf_function *found, struct event *event,
				    char **error_ret)
{
	event->sites = calloc(1, sizeof(*event->sites));
	if (!event->sites)
		return EVENT_NO_MEMORY;
	event->n_sites = 1;
	event->sites[0].offset = found->offset;
	if (event->weight.kind == WEIGHT_PERIOD && terms->weight[0] &&
	    !(event->weight_expression = strdup(terms->weight)))
		return EVENT_NO_MEMORY;
	if (!terms->value[0])
		return EVENT_OK;
	event->value_expression = strdup(terms->value);
	return event->value_expression ? find_argument(name, terms->value, found->machine,
						       &event->sites[0].value, error_ret)
				       : EVENT_NO_MEMORY;
}

/* A weight that is a text, or of a return. */
static bool is_no_weight(const struct weight_terms *terms, bool is_return)
{
	struct probe_argument argument;

	if (is_return)
		return terms->weight[0] || terms->value[0];
	return probe_argument_parse(terms->weight, &argument) && argument.is_string;
}

enum event_error uprobe_find(const char *name, struct event *event, char **error_ret)
{
	struct elf_function found = { .offset = 0 };
	struct weight_terms terms;
	bool is_return;
	const char *place = skip_prefix(name, &is_return);

	*error_ret = NULL;
	if (!place)
		return EVENT_UNKNOWN;
	size_t length = strlen(place);
	if (!weight_terms_cut(place, &length, &terms, error_ret))
		return *error_ret ? EVENT_UNKNOWN : EVENT_NO_MEMORY;
	if (is_no_weight(&terms, is_return))
		return explain_weight(name, is_return, error_ret);
	const bool is_fetched =
		(terms.weight[0] && !uprobe_read_weight(terms.weight, &event->weight)) ||
		terms.value[0];
	enum event_error error = find_pmu(is_return, &event->attr, error_ret);
	if (error == EVENT_OK)
		error = find_place(name, place, length, event, &found, error_ret);
	if (error == EVENT_OK && is_fetched)
		error = add_fetches(name, &terms, &found, event, error_ret);
	event->unit = terms.unit;
	event->default_period = 1;
	return error;
}

static enum event_error find(const struct event_places *places, const char *name,
			     struct event_list *found, char **error_ret)
{
	struct event *event = event_list_add(found);

	(void)places;
	return event ? uprobe_find(name, event, error_ret) : EVENT_NO_MEMORY;
}

const struct event_kind uprobe_event_kind = { find, NULL };
