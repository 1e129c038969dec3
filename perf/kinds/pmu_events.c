#include "perf/kinds/pmu_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/sentence.h"
#include "perf/events/event_terms.h"
#include "perf/kernel/sysfs_pmu.h"
#include "perf/kinds/core_pmus.h"

#define MAX_TOLD 6 /* PMUs that a sentence lists */

/* The event that terms are read into. */
struct terms_reader {
	const struct sysfs_pmu *pmu;
	const char *name; /* of the event, for the user */
	struct event *event;
	char **error_ret;
};

static enum event_error fail_term(const struct terms_reader *reader, const struct event_term *term,
				  const char *why)
{
	return event_fail(EVENT_BAD_MODIFIER, reader->error_ret,
			  sentence("The event '%s': the term '%.*s' %s.", reader->name,
				   (int)term->key_length, term->key, why));
}

static void offer_folder(const struct sysfs_pmu *pmu, const char *folder, struct near_names *near)
{
	DIR *dir = sysfs_pmu_folder(pmu, folder);
	if (!dir)
		return;
	const char *name;
	while ((name = sysfs_pmu_next(dir)))
		near_names_offer(near, name);
	closedir(dir);
}

static enum event_error fail_unknown_term(const struct terms_reader *reader,
					  const struct event_term *term)
{
	struct near_names near;
	near_names_init(&near, term->key, term->key_length);
	offer_folder(reader->pmu, "format", &near);
	if (!term->value)
		offer_folder(reader->pmu, "events", &near);
	char *question = near_names_question(&near);
	if (!question)
		return EVENT_NO_MEMORY;
	enum event_error error = event_fail(
		EVENT_UNKNOWN, reader->error_ret,
		sentence("The event '%s': the PMU %s has no term%s '%.*s'%s", reader->name,
			 reader->pmu->name, term->value ? "" : " or event", (int)term->key_length,
			 term->key, question[0] ? question : "."));
	free(question);
	return error;
}

static enum event_error set_term(const struct terms_reader *reader, const struct event_term *term,
				 const struct pmu_format *format, uint64_t value)
{
	struct perf_event_attr *attr = &reader->event->attr;
	if (value > sysfs_pmu_format_max(format))
		return event_fail(EVENT_BAD_MODIFIER, reader->error_ret,
				  sentence("The event '%s': %#llx is too large for the term "
					   "'%.*s', which goes up to %#llx.",
					   reader->name, (unsigned long long)value,
					   (int)term->key_length, term->key,
					   (unsigned long long)sysfs_pmu_format_max(format)));
	uint64_t config[] = { attr->config, attr->config1, attr->config2 };
	if (format->field >= sizeof(config) / sizeof(config[0]))
		return value ? fail_term(reader, term,
					 "is in a config field that PMUs which can sample do "
					 "not have")
			     : EVENT_OK;
	sysfs_pmu_format_set(format, value, &config[format->field]);
	attr->config = config[0];
	attr->config1 = config[1];
	attr->config2 = config[2];
	return EVENT_OK;
}

/* "config1=0x3f": the field itself. */
static bool read_field(const struct event_term *term, struct pmu_format *format)
{
	static const char *const fields[] = { "config", "config1", "config2", "config3" };
	*format = (struct pmu_format){ .mask = UINT64_MAX };
	for (unsigned int i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		format->field = i;
		if (event_term_is(term, fields[i]))
			return true;
	}
	return false;
}

static enum event_error apply_format(const struct terms_reader *reader,
				     const struct event_term *term)
{
	struct pmu_format format;
	uint64_t value = 1;
	if (!read_field(term, &format)) {
		int err = sysfs_pmu_format(reader->pmu, term->key, term->key_length, &format);
		if (err == -ENOENT)
			return fail_unknown_term(reader, term);
		if (err)
			return fail_term(reader, term, "has a malformed description in sysfs");
	}
	if (term->value && !event_term_number(term, &value))
		return fail_term(reader, term, "requires a number");
	return set_term(reader, term, &format, value);
}

static enum event_error apply_terms(const struct terms_reader *reader, const char *text,
				    const char *end, bool is_alias);

/* The name of an event in sysfs is replaced by its terms. These terms cannot contain further event
 * names. */
static enum event_error apply_alias(const struct terms_reader *reader,
				    const struct event_term *term, bool *is_alias_ret)
{
	char text[PMU_TEXT_SIZE];
	int err = sysfs_pmu_event(reader->pmu, term->key, term->key_length, text);
	*is_alias_ret = err != -ENOENT;
	if (!*is_alias_ret)
		return EVENT_OK;
	if (err)
		return fail_term(reader, term, "cannot be read from sysfs");
	return apply_terms(reader, text, text + strlen(text), true);
}

static enum event_error apply_term(const struct terms_reader *reader, const struct event_term *term,
				   bool is_in_alias)
{
	enum event_error error = event_term_apply(term, reader->event, reader->error_ret);
	if (error != EVENT_UNKNOWN)
		return error;
	if (!term->value && !is_in_alias) {
		bool is_alias;
		error = apply_alias(reader, term, &is_alias);
		if (is_alias || error != EVENT_OK)
			return error;
	}
	return apply_format(reader, term);
}

static enum event_error apply_terms(const struct terms_reader *reader, const char *text,
				    const char *end, bool is_alias)
{
	struct event_term term;
	enum event_error error = EVENT_OK;
	while (error == EVENT_OK && event_terms_next(&text, end, &term))
		error = apply_term(reader, &term, is_alias);
	return error;
}

static enum event_error add_event(const struct sysfs_pmu *pmu, const char *name, const char *terms,
				  const char *end, struct event_list *found, char **error_ret)
{
	enum event_error error = core_pmus_check(pmu, name, error_ret);
	if (error != EVENT_OK)
		return error;
	struct event *event = event_list_add(found);
	if (!event || (pmu->cpus && !event_set_cpus(event, pmu->cpus, pmu->n_cpus)))
		return EVENT_NO_MEMORY;
	event->attr.type = pmu->type;
	const struct terms_reader reader = { pmu, name, event, error_ret };
	return apply_terms(&reader, terms, end, false);
}

static bool has_pmu(const struct sysfs_pmus *pmus, const char *name, size_t length)
{
	for (size_t i = 0; i < pmus->n_pmus; i++)
		if (strlen(pmus->pmus[i].name) == length &&
		    memcmp(pmus->pmus[i].name, name, length) == 0)
			return true;
	return false;
}

/* "cpu" means the core PMUs, even if they have other names. */
static bool is_meant(const struct sysfs_pmus *pmus, const struct sysfs_pmu *pmu, const char *name,
		     size_t length)
{
	if (has_pmu(pmus, name, length))
		return strlen(pmu->name) == length && memcmp(pmu->name, name, length) == 0;
	if (length == 3 && memcmp(name, "cpu", 3) == 0)
		return pmu->is_core;
	return sysfs_pmu_is_named(pmu, name, length);
}

static void list_pmus(const struct sysfs_pmus *pmus, char *text, size_t size)
{
	size_t used = 0;
	for (size_t i = 0; i < pmus->n_pmus && i < MAX_TOLD; i++)
		used += snprintf(text + used, size - used, "%s%s", i ? ", " : "",
				 pmus->pmus[i].name);
	if (pmus->n_pmus > MAX_TOLD)
		snprintf(text + used, size - used, ", ...");
}

static enum event_error explain_no_pmu(const struct sysfs_pmus *pmus, const char *name,
				       size_t length, char **error_ret)
{
	char list[MAX_TOLD * (PMU_NAME_SIZE + 2) + 8] = "none";
	struct near_names near;
	near_names_init(&near, name, length);
	for (size_t i = 0; i < pmus->n_pmus; i++)
		near_names_offer(&near, pmus->pmus[i].name);
	list_pmus(pmus, list, sizeof(list));
	char *question = near_names_question(&near);
	if (!question)
		return EVENT_NO_MEMORY;
	const char *hint = sysfs_pmus_n_core(pmus)
				   ? ""
				   : " It shows none of the processor's cores, as is usual in "
				     "virtual machines.";
	char *text = question[0] ? sentence("The event '%s': this machine has no PMU '%.*s'%s",
					    name, (int)length, name, question)
				 : sentence("The event '%s': this machine has no PMU '%.*s'; "
					    "its PMUs are: %s.%s",
					    name, (int)length, name, list, hint);
	free(question);
	return event_fail(EVENT_NOT_HERE, error_ret, text);
}

static enum event_error find_terms(const struct sysfs_pmus *pmus, const char *name,
				   const char *slash, struct event_list *found, char **error_ret)
{
	size_t length = slash - name;
	const char *end = name + strlen(name) - 1;
	if (end == slash || *end != '/')
		return event_fail(
			EVENT_BAD_MODIFIER, error_ret,
			sentence("The event '%s': the '/' after its terms is missing.", name));
	enum event_error error = EVENT_OK;
	for (size_t i = 0; i < pmus->n_pmus && error == EVENT_OK; i++)
		if (is_meant(pmus, &pmus->pmus[i], name, length))
			error = add_event(&pmus->pmus[i], name, slash + 1, end, found, error_ret);
	if (error == EVENT_OK && found->n_events == 0)
		return explain_no_pmu(pmus, name, length, error_ret);
	return error;
}

/* On each core PMU that has an event of that name, else on the first PMU. */
static enum event_error find_name(const struct sysfs_pmus *pmus, const char *name,
				  struct event_list *found, char **error_ret)
{
	char text[PMU_TEXT_SIZE];
	const char *end = name + strlen(name);
	const struct sysfs_pmu *other = NULL;
	enum event_error error = EVENT_OK;
	for (size_t i = 0; i < pmus->n_pmus && error == EVENT_OK; i++) {
		const struct sysfs_pmu *pmu = &pmus->pmus[i];
		if (sysfs_pmu_event(pmu, name, end - name, text))
			continue;
		if (pmu->is_core)
			error = add_event(pmu, name, name, end, found, error_ret);
		else if (!other)
			other = pmu;
	}
	if (error != EVENT_OK || found->n_events)
		return error;
	return other ? add_event(other, name, name, end, found, error_ret) : EVENT_UNKNOWN;
}

static enum event_error find(const struct event_places *places, const char *name,
			     struct event_list *found, char **error_ret)
{
	/* "sys:name/terms/" is an event of another kind. */
	size_t length = strcspn(name, ":/");
	if (name[length] == ':' || length == 0)
		return EVENT_UNKNOWN;
	struct sysfs_pmus pmus;
	if (sysfs_pmus_load(places->sysfs, &pmus))
		return EVENT_NO_MEMORY;
	enum event_error error = name[length] == '/'
					 ? find_terms(&pmus, name, name + length, found, error_ret)
					 : find_name(&pmus, name, found, error_ret);
	sysfs_pmus_deinit(&pmus);
	return error;
}

static void offer_all(const struct event_places *places, struct near_names *near)
{
	struct sysfs_pmus pmus;
	if (sysfs_pmus_load(places->sysfs, &pmus))
		return;
	for (size_t i = 0; i < pmus.n_pmus; i++)
		if (pmus.pmus[i].is_core || !pmus.pmus[i].is_uncore)
			offer_folder(&pmus.pmus[i], "events", near);
	sysfs_pmus_deinit(&pmus);
}

const struct event_kind pmu_event_kind = { find, offer_all };

/* Of a folder, sorted. */
struct name_list {
	char **names;
	size_t n_names;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void name_list_deinit(struct name_list *list)
{
	for (size_t i = 0; i < list->n_names; i++)
		free(list->names[i]);
	free(list->names);
}

static int name_list_add(struct name_list *list, const char *name)
{
	if (array_reserve_one(list->names, list->n_names))
		return -ENOMEM;
	list->names[list->n_names] = strdup(name);
	return list->names[list->n_names++] ? 0 : -ENOMEM;
}

static int name_list_read(const struct sysfs_pmu *pmu, const char *folder, struct name_list *list)
{
	*list = (struct name_list){ NULL, 0 };
	DIR *dir = sysfs_pmu_folder(pmu, folder);
	if (!dir)
		return 0;
	const char *name;
	int err = 0;
	while (!err && (name = sysfs_pmu_next(dir)))
		err = name_list_add(list, name);
	closedir(dir);
	if (err)
		name_list_deinit(list);
	else if (list->n_names)
		qsort(list->names, list->n_names, sizeof(*list->names), compare_names);
	return err;
}

static int list_terms(struct event_catalog *catalog, const struct sysfs_pmu *pmu)
{
	char spelling[PMU_NAME_SIZE + 24], *text = NULL;
	struct name_list terms;
	size_t size;
	int err = name_list_read(pmu, "format", &terms);
	if (err || !terms.n_names)
		return err;
	FILE *out = open_memstream(&text, &size);
	for (size_t i = 0; i < terms.n_names && out; i++)
		fprintf(out, "%s%s", i ? ", " : "terms: ", terms.names[i]);
	err = !out || fclose(out) ? -ENOMEM : 0;
	snprintf(spelling, sizeof(spelling), "%s/TERM=VALUE,.../", pmu->name);
	if (!err)
		err = event_catalog_add_spelling(catalog, CATALOG_PMU, spelling, text);
	free(text);
	name_list_deinit(&terms);
	return err;
}

static int list_events(struct event_catalog *catalog, const struct sysfs_pmu *pmu)
{
	struct name_list events;
	int err = name_list_read(pmu, "events", &events);
	if (err)
		return err;
	if (events.n_names || pmu->is_core)
		err = list_terms(catalog, pmu);
	for (size_t i = 0; i < events.n_names && !err; i++) {
		const char *event = events.names[i];
		char name[2 * PMU_NAME_SIZE + 8], text[PMU_TEXT_SIZE];
		if (sysfs_pmu_event(pmu, event, strlen(event), text))
			continue;
		snprintf(name, sizeof(name), "%s/%s/", pmu->name, event);
		err = event_catalog_add(catalog, CATALOG_PMU, name, NULL, text);
	}
	name_list_deinit(&events);
	return err;
}

int pmu_events_list(const struct event_places *places, struct event_catalog *catalog)
{
	struct sysfs_pmus pmus;
	int err = sysfs_pmus_load(places->sysfs, &pmus);
	if (err)
		return err;
	for (size_t i = 0; i < pmus.n_pmus && !err; i++)
		err = list_events(catalog, &pmus.pmus[i]);
	sysfs_pmus_deinit(&pmus);
	return err;
}
