#include "cct/merge/merge_info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/text/shell_word.h"

#define SEPARATOR    SHELL_LIST_SEPARATOR
#define SEVERAL      "several"
#define ITEMS_MAX    8
#define ITEMS_SIZE   2048 /* bytes of all */
#define CPU_GAPS_MAX 4096 /* the first ones */

struct items {
	char *of[ITEMS_MAX]; /* sorted */
	size_t n, size;
	bool are_many;
};

static void add_item(struct items *items, char *item)
{
	size_t at = 0;

	while (at < items->n && strcmp(items->of[at], item) < 0)
		at++;
	if (at < items->n && strcmp(items->of[at], item) == 0)
		return;
	items->size += strlen(item);
	items->are_many |=
		items->n == ITEMS_MAX || items->size > ITEMS_SIZE || strcmp(item, SEVERAL) == 0;
	if (items->are_many)
		return;
	memmove(&items->of[at + 1], &items->of[at], (items->n - at) * sizeof(*items->of));
	items->of[at] = item;
	items->n++;
}

/* Cuts @text into its items. A separator in the quotes of a command is not one. */
static void add_items(struct items *items, char *text, bool are_commands)
{
	while (text && !items->are_many) {
		const char *rest;
		char *end;

		if (are_commands)
			end = text + shell_list_next(text, &rest);
		else if (!(end = strstr(text, SEPARATOR)))
			end = text + strlen(text);
		char *next = *end ? end + strlen(SEPARATOR) : NULL;
		*end = '\0';
		add_item(items, text);
		text = next;
	}
}

static char *join(const struct items *items)
{
	char *text = malloc(items->size + items->n * strlen(SEPARATOR) + 1), *end = text;

	for (size_t i = 0; text && i < items->n; i++)
		end = stpcpy(i ? stpcpy(end, SEPARATOR) : end, items->of[i]);
	return text;
}

static int merge_items(char **into, const char *from, bool are_commands)
{
	struct items items = { 0 };

	if (!from || (*into && strcmp(*into, from) == 0))
		return 0;
	if (!*into)
		return profile_set_string(into, from);
	_cleanup_free_ char *copy = strdup(from);
	if (!copy)
		return -ENOMEM;
	add_items(&items, *into, are_commands);
	add_items(&items, copy, are_commands);
	char *joined = items.are_many ? strdup(SEVERAL) : join(&items);
	free(*into);
	*into = joined;
	return joined ? 0 : -ENOMEM;
}

static int merge_text(char **into, const char *from)
{
	return merge_items(into, from, false);
}

static int merge_texts(struct profile_info *into, const struct profile_info *from)
{
	int err = merge_items(&into->command_line, from->command_line, true);

	if (!err)
		err = merge_text(&into->hostname, from->hostname);
	if (!err)
		err = merge_text(&into->os_release, from->os_release);
	if (!err)
		err = merge_text(&into->arch, from->arch);
	if (!err)
		err = merge_text(&into->cpu, from->cpu);
	if (!err)
		err = merge_text(&into->tool_version, from->tool_version);
	if (!err)
		err = merge_text(&into->no_kernel_names, from->no_kernel_names);
	if (!err)
		err = merge_text(&into->not_decoded, from->not_decoded);
	if (!err)
		err = merge_text(&into->truncated, from->truncated);
	for (int i = 0; !err && i < N_MARKERS; i++)
		err = merge_text(&into->why[i], from->why[i]);
	return err;
}

/* A gap up to the recording's end gets this end: the sum ends later. */
static void shift_gap(struct cpu_gap *gap, uint64_t end_ns, uint64_t by_ns)
{
	gap->start_ns += by_ns;
	gap->end_ns = (gap->end_ns ? gap->end_ns : end_ns) + by_ns;
}

static int compare_gaps(const void *a, const void *b)
{
	const struct cpu_gap *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static int append_gaps(struct profile_info *into, const struct profile_info *from)
{
	size_t n = into->n_cpu_gaps, n_more = from->n_cpu_gaps;
	struct cpu_gap *gaps =
		n_more ? reallocarray(into->cpu_gaps, n + n_more, sizeof(*gaps)) : NULL;

	if (!gaps)
		return n_more ? -ENOMEM : 0;
	memcpy(&gaps[n], from->cpu_gaps, n_more * sizeof(*gaps));
	into->cpu_gaps = gaps;
	into->n_cpu_gaps = n + n_more;
	return 0;
}

static int add_gaps(struct profile_info *into, const struct profile_info *from, uint64_t by_ns)
{
	size_t n = into->n_cpu_gaps;
	int err = append_gaps(into, from);

	if (err)
		return err;
	for (size_t i = n; i < into->n_cpu_gaps; i++)
		shift_gap(&into->cpu_gaps[i], from->end_ns, by_ns);
	if (into->n_cpu_gaps)
		qsort(into->cpu_gaps, into->n_cpu_gaps, sizeof(*into->cpu_gaps), compare_gaps);
	if (into->n_cpu_gaps > CPU_GAPS_MAX)
		into->n_cpu_gaps = CPU_GAPS_MAX;
	return 0;
}

/* Times of damaged files may be too large. */
static void shift_loss(struct loss *loss, uint64_t by_ns)
{
	loss->start_ns += by_ns;
	if (__builtin_add_overflow(loss->end_ns, by_ns, &loss->end_ns) ||
	    loss->end_ns < loss->start_ns)
		loss->end_ns = loss->start_ns;
}

static int add_losses(struct losses *into, const struct losses *from, uint64_t by_ns)
{
	int err = 0;

	for (size_t i = 0; i < from->n && !err; i++) {
		struct loss loss = from->losses[i];

		shift_loss(&loss, by_ns);
		err = losses_add(into, &loss);
	}
	losses_sort(into);
	return err;
}

static int take_times(struct profile_info *into, const struct profile_info *from)
{
	into->start_ns = from->start_ns;
	into->end_ns = from->end_ns;
	into->has_date = from->has_date;
	into->unix_offset_ns = from->has_date ? from->unix_offset_ns : 0;
	into->n_cpu_gaps = 0;
	into->losses.n = 0;
	int err = append_gaps(into, from);
	return err ? err : add_losses(&into->losses, &from->losses, 0);
}

static void shift_times(struct profile_info *info, uint64_t by_ns)
{
	for (size_t i = 0; i < info->n_cpu_gaps; i++)
		shift_gap(&info->cpu_gaps[i], info->end_ns, by_ns);
	for (size_t i = 0; i < info->losses.n; i++)
		shift_loss(&info->losses.losses[i], by_ns);
	info->start_ns += by_ns;
	info->end_ns += by_ns;
	info->unix_offset_ns -= by_ns;
}

/* Adds times of a clock to those of another, or of the same one. */
static int add_times(struct profile_info *into, const struct profile_info *from)
{
	bool is_one_clock = into->unix_offset_ns == from->unix_offset_ns || !from->has_date;
	uint64_t by_ns = is_one_clock ? 0 : from->unix_offset_ns;

	shift_times(into, is_one_clock ? 0 : into->unix_offset_ns);
	if (from->start_ns + by_ns < into->start_ns)
		into->start_ns = from->start_ns + by_ns;
	if (from->end_ns + by_ns > into->end_ns)
		into->end_ns = from->end_ns + by_ns;
	int err = add_gaps(into, from, by_ns);
	return err ? err : add_losses(&into->losses, &from->losses, by_ns);
}

static bool knows_times(const struct profile_info *info)
{
	return info->start_ns || info->end_ns;
}

static int merge_times(struct profile_info *into, const struct profile_info *from)
{
	if (!knows_times(from) || (knows_times(into) && into->has_date && !from->has_date))
		return 0;
	if (!knows_times(into) || into->has_date != from->has_date)
		return take_times(into, from);
	return add_times(into, from);
}

static bool is_part(const struct profile_info *info)
{
	return info->has_window || info->has_windows;
}

/* A sum is of a part of the time if all profiles are of the same. */
static void merge_window(struct profile_info *into, const struct profile_info *from)
{
	if (!knows_times(from))
		return;
	if (!knows_times(into)) {
		into->has_window = from->has_window;
		into->has_windows = from->has_windows;
		into->window = from->window;
		return;
	}
	const bool is_same = into->has_window && from->has_window &&
			     into->window.from_us == from->window.from_us &&
			     into->window.to_us == from->window.to_us;
	const bool are_parts = is_part(into) && is_part(from);

	into->has_window = is_same;
	into->has_windows = are_parts && !is_same;
}

int merge_info(struct profile_info *into, const struct profile_info *from)
{
	if (from->n_cpus > into->n_cpus)
		into->n_cpus = from->n_cpus;
	if (from->stack_copy > into->stack_copy)
		into->stack_copy = from->stack_copy;
	int err = merge_texts(into, from);
	merge_window(into, from);
	if (!err)
		err = watched_time_merge(&into->watched, &from->watched);
	return err ? err : merge_times(into, from);
}
