#include "collector/push/service_profiles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/paths/path_copies.h"

#define UNKNOWN "unknown"
#define KERNEL  "kernel"

static void add_cost(struct profile *profile, uint32_t node, uint32_t metric,
		     const struct cct_cost *more)
{
	struct cct_cost *cost = cct_cost(profile->cct, node, metric);

	cost->samples += more->samples;
	cost->weight += more->weight;
	profile->metrics[metric].samples += more->samples;
	profile->metrics[metric].total += more->weight;
}

void service_profile_destroy(struct profile *profile)
{
	if (!profile)
		return;
	cct_destroy(profile->cct);
	free(profile->metrics);
	free(profile);
}

/* Without a sample. NULL: out of memory. */
static struct profile *create(const struct profile *whole)
{
	struct profile *profile = malloc(sizeof(*profile));

	if (!profile)
		return NULL;
	*profile = *whole;
	profile->rows = NULL;
	profile->cct = cct_create(whole->n_metrics);
	profile->metrics = calloc((size_t)whole->n_metrics + 1, sizeof(*profile->metrics));
	if (!profile->cct || !profile->metrics) {
		service_profile_destroy(profile);
		return NULL;
	}
	memcpy(profile->metrics, whole->metrics, whole->n_metrics * sizeof(*whole->metrics));
	for (uint32_t i = 0; i < whole->n_metrics; i++)
		profile->metrics[i].samples = profile->metrics[i].total = 0;
	return profile;
}

/* -- services ------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
	const size_t size = strlen(text), end_size = strlen(end);

	return size > end_size && strcmp(text + size - end_size, end) == 0;
}

static bool is_service(const char *name)
{
	return !ends_with(name, ".scope") && !ends_with(name, ".slice") &&
	       strncmp(name, "user@", strlen("user@")) != 0;
}

const char *service_of_sample(const struct profile *profile, const struct sample_list *list,
			      size_t i, char name[static CGROUP_NAME_MAX])
{
	const struct listed_sample sample = sample_list_get(list, i);
	const struct sample_row *row = list->rows ? &profile->rows->rows[list->rows[i]] : NULL;
	const uint32_t cgroup = row ? row->cgroup : 0;

	if (sample.pid == 0 || (row && row->end == ROW_NO_USER_PART))
		return KERNEL;
	if (cgroup && cgroup_name(profile->cgroups.strings[cgroup - 1], name) && is_service(name))
		return name;
	const char *process = sample.process < profile->n_processes
				      ? profile->processes[sample.process].name
				      : sample.thread_name;
	return process && process[0] ? process : UNKNOWN;
}

/* The number of a service, whose profile is made if it is new. 0 or -ENOMEM. */
static int enter_service(struct service_profiles *services, const struct profile *whole,
			 const char *name, uint32_t *number_ret)
{
	bool is_new;
	int err = string_ids_add(&services->names, name, number_ret, &is_new);

	if (err || !is_new)
		return err;
	if (array_reserve(services->profiles, *number_ret, services->n_allocated, 1))
		return -ENOMEM;
	services->profiles[*number_ret] = create(whole);
	return services->profiles[*number_ret] ? 0 : -ENOMEM;
}

static int add_samples(struct service_profiles *services, const struct profile *whole,
		       const struct sample_list *list, const char *only)
{
	struct path_copies copies = { .from = whole->cct };
	char text[CGROUP_NAME_MAX];
	int err = 0;

	for (size_t i = 0; i < list->n && !err; i++) {
		const struct listed_sample sample = sample_list_get(list, i);
		const char *name = only ? only : service_of_sample(whole, list, i, text);
		uint32_t service;

		err = enter_service(services, whole, name, &service);
		if (err)
			break;
		struct profile *profile = services->profiles[service];
		const uint32_t node =
			path_copies_get(&copies, profile->cct, service, NULL, sample.node);

		if (node == CCT_NONE)
			err = -ENOMEM;
		else
			add_cost(profile, node, sample.metric,
				 &(struct cct_cost){ sample.samples, sample.weight });
	}
	path_copies_deinit(&copies);
	return err;
}

int service_profiles_init(struct service_profiles *services, const struct profile *profile,
			  const char *only)
{
	struct sample_list list;

	*services = (struct service_profiles){ 0 };
	int err = sample_list_init(&list, profile);
	if (!err)
		err = add_samples(services, profile, &list, only);
	sample_list_deinit(&list);
	return err;
}

void service_profiles_deinit(struct service_profiles *services)
{
	for (uint32_t i = 0; i < services->names.n_strings && i < services->n_allocated; i++)
		service_profile_destroy(services->profiles[i]);
	free(services->profiles);
	string_ids_deinit(&services->names);
}

/* -- halves --------------------------------------------------------------------------------- */

static bool has_samples(const struct profile *profile, uint32_t node)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (cct_cost(profile->cct, node, i)->samples)
			return true;
	}
	return false;
}

uint32_t service_profile_count(const struct profile *profile, uint32_t metric)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < profile->cct->n_nodes; i++)
		n += cct_cost(profile->cct, i, metric)->samples != 0;
	return n;
}

static int copy_node(struct path_copies *copies, const struct profile *from, uint32_t node,
		     struct profile *into, uint32_t tree)
{
	const uint32_t copy = path_copies_get(copies, into->cct, tree, NULL, node);

	if (copy == CCT_NONE)
		return -ENOMEM;
	for (uint32_t i = 0; i < from->n_metrics; i++)
		add_cost(into, copy, i, cct_cost(from->cct, node, i));
	return 0;
}

int service_profile_halve(const struct profile *profile, struct profile *halves_ret[2])
{
	struct path_copies copies = { .from = profile->cct };
	struct profile *halves[2] = { create(profile), create(profile) };
	uint32_t n = 0, n_copied = 0;
	int err = halves[0] && halves[1] ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < profile->cct->n_nodes; i++)
		n += has_samples(profile, i);
	if (!err && n < 2)
		err = -ENOENT;
	for (uint32_t i = 0; i < profile->cct->n_nodes && !err; i++) {
		if (!has_samples(profile, i))
			continue;
		const uint32_t half = n_copied++ >= n / 2;

		err = copy_node(&copies, profile, i, halves[half], half);
	}
	path_copies_deinit(&copies);
	for (unsigned i = 0; i < 2; i++) {
		if (err)
			service_profile_destroy(halves[i]);
		else
			halves_ret[i] = halves[i];
	}
	return err;
}
