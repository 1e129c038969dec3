#include "perf/kinds/tracepoint.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <unistd.h>

#include "cct/base/sentence.h"
#include "perf/events/weight_terms.h"
#include "perf/kernel/tracefs.h"

#define WORD_LETTERS "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define PART_MAX     127 /* of a system's and a tracepoint's name */

struct parts {
	char system[PART_MAX + 1], name[PART_MAX + 1];
};

/* Letters, digits, '_', '-' and, after the first character, '.': such a name cannot lead out of
 * tracefs. */
static size_t word_length(const char *text, size_t length)
{
	size_t n = 0;

	while (n < length && (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-' ||
			      (text[n] == '.' && n)))
		n++;
	return n;
}

static bool split(const char *name, size_t length, struct parts *parts)
{
	size_t system = word_length(name, length);

	if (!system || system > PART_MAX || system + 1 >= length || name[system] != ':')
		return false;
	const char *rest = name + system + 1;
	size_t rest_length = length - system - 1;
	if (rest_length > PART_MAX || word_length(rest, rest_length) != rest_length)
		return false;
	snprintf(parts->system, sizeof(parts->system), "%.*s", (int)system, name);
	snprintf(parts->name, sizeof(parts->name), "%.*s", (int)rest_length, rest);
	return true;
}

static size_t number_length(const char *text)
{
	return strspn(text, "0123456789");
}

/* The position after "WORD:DIGITS;", with at most nine digits; NULL if the text is different. */
static const char *skip_number(const char *text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(text, word, length) != 0)
		return NULL;
	text += length;
	length = number_length(text);
	return length && length < 10 && text[length] == ';' ? text + length + 1 : NULL;
}

/* "unsigned int count", "__data_loc char[] name", "char comm[16]": words, '*' and brackets. */
static const char *skip_declaration(const char *text)
{
	size_t n_words = 0;

	for (;;) {
		size_t length = strspn(text, WORD_LETTERS);

		n_words += length > 0;
		text += length;
		if (*text == '[') {
			text += 1 + number_length(text + 1);
			if (*text++ != ']')
				return NULL;
		} else if (*text == ' ' || *text == '*') {
			text++;
		} else {
			return *text == ';' && n_words > 1 ? text + 1 : NULL;
		}
	}
}

/* Whether a line describes a field as kernels write it. Fields in other lines are not integers. */
static bool is_field_line(const char *line)
{
	static const char start[] = "\tfield:";

	if (strncmp(line, start, strlen(start)) != 0)
		return false;
	line = skip_declaration(line + strlen(start));
	if (line)
		line = skip_number(line, "\toffset:");
	if (line)
		line = skip_number(line, "\tsize:");
	if (line)
		line = skip_number(line, "\tsigned:");
	return line && *line == '\n';
}

/* Copies the lines of the fields that all tracepoints have, or of the other fields. */
static char *copy_fields(const char *format, bool is_common, char *to)
{
	for (const char *line = format; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		size_t length = strcspn(line, "\n");

		if (!is_field_line(line) ||
		    is_common != !!memmem(line, length, " common_", strlen(" common_")))
			continue;
		memcpy(to, line, length + 1);
		to += length + 1;
	}
	return to;
}

/*
 * Parses a format with libtraceevent. It trusts its input and may crash, so it is given only the
 * lines of fields, and only those that look as the kernel writes them.
 */
static struct tep_handle *parse_format(const char *format, size_t size, struct tep_event **event)
{
	static const char start[] = "name: event\nID: 1\nformat:\n",
			  print[] = "\nprint fmt: \"\"\n";
	char *whole = strndup(format, size);
	char *text = whole ? malloc(strlen(whole) + sizeof(start) + sizeof(print)) : NULL;
	struct tep_handle *tep = tep_alloc();

	*event = NULL;
	tep_set_loglevel(TEP_LOG_NONE);
	if (text && tep) {
		char *end = copy_fields(whole, true, stpcpy(text, start));

		*end++ = '\n';
		end = stpcpy(copy_fields(whole, false, end), print);
		if (tep_parse_format(tep, event, text, end - text, "") != 0)
			*event = NULL;
	}
	free(text);
	free(whole);
	if (*event)
		return tep;
	tep_free(tep);
	return NULL;
}

static bool is_integer(const struct tep_format_field *field)
{
	const unsigned long others = TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_POINTER |
				     TEP_FIELD_IS_STRING | TEP_FIELD_IS_DYNAMIC;

	return !(field->flags & others) && field->offset >= 0 && field->offset <= UINT16_MAX &&
	       (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
}

int tracepoint_field(const char *format, size_t size, const char *name, struct event_weight *ret)
{
	struct tep_event *event;
	struct tep_handle *tep = parse_format(format, size, &event);

	if (!tep)
		return -EINVAL;
	const struct tep_format_field *field = tep_find_any_field(event, name);
	int err = !field ? -ENOENT : is_integer(field) ? 0 : -EINVAL;
	if (!err)
		*ret = (struct event_weight){
			.kind = WEIGHT_FIELD,
			.offset = (uint16_t)field->offset,
			.size = (uint16_t)field->size,
			.is_signed = field->flags & TEP_FIELD_IS_SIGNED,
		};
	tep_free(tep);
	return err;
}

int tracepoint_string(const char *format, size_t size, const char *name, uint16_t *offset_ret)
{
	struct tep_event *event;
	struct tep_handle *tep = parse_format(format, size, &event);

	if (!tep)
		return -EINVAL;
	const struct tep_format_field *field = tep_find_any_field(event, name);
	int err = !field ? -ENOENT : 0;
	if (field && (!(field->flags & TEP_FIELD_IS_DYNAMIC) || field->size != 4 ||
		      field->offset < 0 || field->offset > UINT16_MAX))
		err = -EINVAL;
	if (!err)
		*offset_ret = (uint16_t)field->offset;
	tep_free(tep);
	return err;
}

char *tracepoint_field_names(const char *format, size_t size)
{
	struct tep_event *event;
	struct tep_handle *tep = parse_format(format, size, &event);
	char *text = NULL;
	size_t text_size;
	FILE *out = tep ? open_memstream(&text, &text_size) : NULL;

	if (out) {
		const char *separator = "";

		for (const struct tep_format_field *field = event->format.fields; field;
		     field = field->next) {
			if (!is_integer(field))
				continue;
			fprintf(out, "%s%s", separator, field->name);
			separator = ", ";
		}
		fclose(out);
	}
	tep_free(tep);
	return text;
}

static enum event_error find_weight(const struct parts *parts, const char *path, const char *field,
				    struct event_weight *weight, char **error_ret)
{
	char *format;
	size_t size;
	int err = tracefs_read(path, &format, &size);

	if (err)
		return event_fail(EVENT_NOT_HERE, error_ret, tracefs_explain(err));
	err = tracepoint_field(format, size, field, weight);
	char *names = err ? tracepoint_field_names(format, size) : NULL;
	free(format);
	if (!err)
		return EVENT_OK;
	char *text = sentence(err == -ENOENT ? "The tracepoint '%s:%s' has no field '%s'; its "
					       "integers are: %s."
					     : "The tracepoint '%s:%s' has no integer '%s'; its "
					       "integers are: %s.",
			      parts->system, parts->name, field, names && *names ? names : "none");
	free(names);
	return event_fail(EVENT_UNKNOWN, error_ret, text);
}

static enum event_error explain_unknown(const struct parts *parts, const char *folder,
					char **error_ret)
{
	struct near_names near;
	DIR *names = opendir(folder);

	near_names_init(&near, parts->name, strlen(parts->name));
	for (const struct dirent *entry; names && (entry = readdir(names));)
		near_names_offer(&near, entry->d_name);
	if (names)
		closedir(names);
	char *question = near_names_question(&near);
	char *text =
		question ? sentence("The kernel has no tracepoint '%s' in '%s'%s%s", parts->name,
				    parts->system, question, question[0] ? "" : ".")
			 : NULL;
	free(question);
	return event_fail(EVENT_UNKNOWN, error_ret, text);
}

static int read_id(const char *root, const char *system, const char *name, uint64_t *id_ret)
{
	char path[PATH_MAX + 2 * PART_MAX + 32], *text, *end;
	size_t size;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, system, name);
	int err = tracefs_read(path, &text, &size);
	if (err)
		return err;
	uint64_t id = strtoull(text, &end, 10);
	err = end == text ? -EINVAL : 0;
	free(text);
	if (!err)
		*id_ret = id;
	return err;
}

int tracepoint_id(const char *system, const char *name, uint64_t *id_ret)
{
	char root[PATH_MAX];
	int err = tracefs_find(root);

	return err ? err : read_id(root, system, name, id_ret);
}

enum event_error tracepoint_find(const char *name, struct event *event, char **error_ret)
{
	char root[PATH_MAX], folder[PATH_MAX + PART_MAX + 16], path[sizeof(folder) + PART_MAX + 16];
	size_t length = strlen(name);
	struct weight_terms terms;
	struct parts parts;
	uint64_t id;

	*error_ret = NULL;
	if (!split(name, strcspn(name, "/"), &parts) || tracefs_find(root))
		return EVENT_UNKNOWN;
	snprintf(folder, sizeof(folder), "%s/events/%s", root, parts.system);
	if (access(folder, F_OK) < 0)
		return EVENT_UNKNOWN;
	if (!weight_terms_cut(name, &length, &terms, error_ret))
		return *error_ret ? EVENT_UNKNOWN : EVENT_NO_MEMORY;

	if (terms.value[0])
		return event_fail(EVENT_UNKNOWN, error_ret,
				  sentence("'%s': only probes have values; a tracepoint's fields "
					   "can be its weight.",
					   name));
	int err = read_id(root, parts.system, parts.name, &id);
	if (err == -ENOENT)
		return explain_unknown(&parts, folder, error_ret);
	if (err)
		return event_fail(EVENT_NOT_HERE, error_ret, tracefs_explain(err));
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = id;
	event->default_period = 1;
	event->unit = terms.unit;
	snprintf(path, sizeof(path), "%s/%s/format", folder, parts.name);
	if (terms.weight[0]) {
		enum event_error error =
			find_weight(&parts, path, terms.weight, &event->weight, error_ret);
		if (error != EVENT_OK)
			return error;
	}
	event->tracepoint = strndup(name, length);
	return event->tracepoint ? EVENT_OK : EVENT_NO_MEMORY;
}

enum event_error tracepoint_explain(const char *name, char **error_ret)
{
	char root[PATH_MAX];
	struct parts parts;

	*error_ret = NULL;
	if (!split(name, strcspn(name, "/"), &parts))
		return EVENT_UNKNOWN;
	int err = tracefs_find(root);
	return err ? event_fail(EVENT_NOT_HERE, error_ret, tracefs_explain(err)) : EVENT_UNKNOWN;
}

/* The names in available_events, in order; the text holds them. */
struct tracepoint_names {
	char root[PATH_MAX];
	char *text;
	char **names;
	size_t n_names;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int split_lines(struct tracepoint_names *names)
{
	size_t n = 1;
	char *rest = names->text;

	for (const char *at = names->text; (at = strchr(at, '\n')); at++)
		n++;
	names->names = reallocarray(NULL, n, sizeof(*names->names));
	if (!names->names)
		return -ENOMEM;
	for (char *line; (line = strsep(&rest, "\n"));) {
		struct parts parts;

		/* Names that -e cannot spell are left out. */
		if (split(line, strlen(line), &parts))
			names->names[names->n_names++] = line;
	}
	qsort(names->names, names->n_names, sizeof(*names->names), compare_names);
	return 0;
}

static void names_deinit(struct tracepoint_names *names)
{
	free(names->names);
	free(names->text);
}

static int names_init(struct tracepoint_names *names)
{
	char path[PATH_MAX + 32];
	size_t size;

	*names = (struct tracepoint_names){ .text = NULL };
	int err = tracefs_find(names->root);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/available_events", names->root);
	err = tracefs_read(path, &names->text, &size);
	if (!err)
		err = split_lines(names);
	if (err)
		names_deinit(names);
	return err;
}

static void offer_all(const struct event_places *places, struct near_names *near)
{
	struct tracepoint_names names;

	(void)places;
	if (names_init(&names))
		return;
	for (size_t i = 0; i < names.n_names; i++)
		near_names_offer(near, names.names[i]);
	names_deinit(&names);
}

/* Each matching tracepoint becomes a separate event with its own name. */
static enum event_error add_matching(const struct tracepoint_names *names, const char *pattern,
				     struct event_list *found, char **error_ret)
{
	enum event_error error = EVENT_OK;

	for (size_t i = 0; i < names->n_names && error == EVENT_OK; i++) {
		if (fnmatch(pattern, names->names[i], 0))
			continue;
		struct event *event = event_list_add(found);
		error = event ? tracepoint_find(names->names[i], event, error_ret)
			      : EVENT_NO_MEMORY;
		if (error == EVENT_OK && !(event->name = strdup(names->names[i])))
			error = EVENT_NO_MEMORY;
	}
	return error;
}

/* "sched:*", "syscalls:sys_enter_[rw]*" */
static enum event_error find_matching(const char *pattern, struct event_list *found,
				      char **error_ret)
{
	struct tracepoint_names names;
	int err = names_init(&names);

	if (err == -ENOMEM)
		return EVENT_NO_MEMORY;
	if (err)
		return event_fail(EVENT_NOT_HERE, error_ret, tracefs_explain(err));
	enum event_error error = add_matching(&names, pattern, found, error_ret);
	names_deinit(&names);
	if (error != EVENT_OK || found->n_events)
		return error;
	return event_fail(EVENT_UNKNOWN, error_ret,
			  sentence("No tracepoint of this kernel matches '%s'.", pattern));
}

static enum event_error find(const struct event_places *places, const char *name,
			     struct event_list *found, char **error_ret)
{
	(void)places;
	if (strpbrk(name, "*?[") && strchr(name, ':') && !strchr(name, '/'))
		return find_matching(name, found, error_ret);
	struct event *event = event_list_add(found);
	return event ? tracepoint_find(name, event, error_ret) : EVENT_NO_MEMORY;
}

static enum event_error find_hidden(const struct event_places *places, const char *name,
				    struct event_list *found, char **error_ret)
{
	(void)places;
	(void)found;
	return tracepoint_explain(name, error_ret);
}

const struct event_kind tracepoint_event_kind = { find, offer_all };
const struct event_kind hidden_tracepoint_event_kind = { find_hidden, NULL };

static char *join_names(const struct tep_format_field *fields)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (const struct tep_format_field *field = fields; field; field = field->next)
		fprintf(out, "%s%s", field == fields ? "" : ", ", field->name);
	fclose(out);
	return text;
}

static int list_fields(struct event_catalog *catalog, const struct tep_format_field *field)
{
	int err = 0;

	for (; field && !err; field = field->next)
		err = event_catalog_add_part(catalog, field->name, field->type);
	return err;
}

/* Adds a tracepoint, described by the names of its fields, and its fields as parts on request. */
static int list_tracepoint(struct event_catalog *catalog, const char *root, const char *name,
			   bool with_parts)
{
	char path[PATH_MAX + 2 * PART_MAX + 32], *format;
	struct tep_handle *tep = NULL;
	struct tep_event *event;
	struct parts parts;
	size_t size;

	split(name, strlen(name), &parts);
	snprintf(path, sizeof(path), "%s/events/%s/%s/format", root, parts.system, parts.name);
	if (tracefs_read(path, &format, &size) == 0) {
		tep = parse_format(format, size, &event);
		free(format);
	}
	char *fields = tep ? join_names(event->format.fields) : NULL;
	int err = event_catalog_add(catalog, CATALOG_TRACEPOINT, name, NULL, fields);
	if (!err && tep && with_parts)
		err = list_fields(catalog, event->format.fields);
	free(fields);
	tep_free(tep);
	return err;
}

int tracepoint_list(struct event_catalog *catalog, bool with_parts)
{
	struct tracepoint_names names;
	int err = names_init(&names);

	if (err)
		return err == -ENOMEM ? err : 0;
	for (size_t i = 0; i < names.n_names && !err; i++)
		err = list_tracepoint(catalog, names.root, names.names[i], with_parts);
	names_deinit(&names);
	return err;
}
