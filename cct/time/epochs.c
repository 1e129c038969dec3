#include "cct/time/epochs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/compare.h"
#include "cct/base/int_list.h"
#include "cct/base/sorted.h"
#include "cct/time/sample_time.h"

void epoch_list_deinit(struct epoch_list *list)
{
	free(list->epochs);
	*list = (struct epoch_list){ .n = 0 };
}

void epochs_deinit(struct epochs *epochs)
{
	string_ids_deinit(&epochs->at_start);
	string_ids_deinit(&epochs->later);
	*epochs = (struct epochs){ .n = 0 };
}

static bool comes_after(const struct epoch *epoch, const struct epoch *last)
{
	return epoch->loaded_ns <= epoch->first_ns &&
	       (!last || (epoch->first_ns > last->first_ns && epoch->loaded_ns >= last->loaded_ns));
}

static const struct string_ids *texts_of(const struct epochs *epochs, const struct epoch *epoch)
{
	return epoch->number > 1 ? &epochs->later : &epochs->at_start;
}

int epochs_add(struct epochs *epochs, struct epoch_list *list, const struct epoch *epoch,
	       const char *text)
{
	struct string_ids *texts = epoch->number > 1 ? &epochs->later : &epochs->at_start;
	struct epoch added = *epoch;
	bool is_new;

	if (string_ids_add(texts, text, &added.files, &is_new) ||
	    array_reserve_one(list->epochs, list->n))
		return -ENOMEM;
	list->epochs[list->n++] = added;
	epochs->n++;
	if (added.number > epochs->n_most)
		epochs->n_most = added.number;
	return 0;
}

void epochs_forget(struct epochs *epochs, struct epoch_list *list)
{
	epochs->n -= list->n;
	epoch_list_deinit(list);
}

int epochs_compare(const struct epochs *epochs, const struct epoch *a, const struct epoch *b)
{
	int order = compare_numbers(a->run, b->run);

	if (!order)
		order = compare_numbers(a->first_ns, b->first_ns);
	if (!order)
		order = compare_numbers(a->number, b->number);
	if (!order)
		order = compare_numbers(a->loaded_ns, b->loaded_ns);
	if (!order)
		order = compare_numbers(a->n_files, b->n_files);
	return order ? order
		     : strcmp(texts_of(epochs, a)->strings[a->files],
			      texts_of(epochs, b)->strings[b->files]);
}

static int compare_for_sort(const void *a, const void *b, void *epochs)
{
	const struct epoch *x = a, *y = b;
	int order = epochs_compare(epochs, x, y);

	return order ? order : compare_numbers(x->end_ns, y->end_ns);
}

void epochs_sort(struct epochs *epochs, struct epoch_list *list)
{
	uint32_t n = 0;

	if (list->n)
		qsort_r(list->epochs, list->n, sizeof(*list->epochs), compare_for_sort, epochs);
	for (uint32_t i = 0; i < list->n; i++) {
		if (n && !epochs_compare(epochs, &list->epochs[n - 1], &list->epochs[i]))
			n--;
		list->epochs[n++] = list->epochs[i];
	}
	epochs->n -= list->n - n;
	list->n = n;
}

int epochs_begin(struct epochs *epochs, struct epoch_list *list, const struct epoch *epoch,
		 const char *text)
{
	struct epoch begun = *epoch;

	if (!comes_after(epoch, list->n ? &list->epochs[list->n - 1] : NULL))
		return -EINVAL;
	if (epochs->n == EPOCHS_MAX) {
		epochs->n_left_out++;
		return 0;
	}
	begun.number = list->n + 1;
	return epochs_add(epochs, list, &begun, text);
}

int epochs_describe_first(struct epochs *epochs, struct epoch_list *list,
			  const struct file_names *files)
{
	uint32_t text;
	bool is_new;

	if (!list->n)
		return 0;
	if (string_ids_add(&epochs->at_start, file_names_text(files), &text, &is_new))
		return -ENOMEM;
	list->epochs[0].files = text;
	list->epochs[0].n_files = files->n;
	return 0;
}

uint32_t epoch_list_find(const struct epoch_list *list, uint32_t run, uint64_t start_ns,
			 uint64_t microseconds)
{
	const struct epoch *epochs = list->epochs;
	const uint32_t first = (uint32_t)sorted_count(list->n, i, epochs[i].run < run);
	const uint32_t n_begun = (uint32_t)sorted_count(
		list->n, i,
		epochs[i].run < run ||
			(epochs[i].run == run &&
			 sample_time_us(start_ns, epochs[i].first_ns) <= microseconds));

	if (n_begun > first)
		return n_begun - 1;
	return first < list->n && epochs[first].run == run ? first : list->n;
}

uint64_t epoch_list_since(const struct epoch_list *list, uint32_t run, uint64_t start_ns,
			  uint64_t microseconds)
{
	const uint32_t index = epoch_list_find(list, run, start_ns, microseconds);

	if (index == list->n || !index || list->epochs[index - 1].run != run)
		return 0;
	return sample_time_us(start_ns, list->epochs[index].first_ns);
}

uint32_t epoch_number(const struct epoch_list *list, uint32_t index)
{
	return index < list->n ? list->epochs[index].number : 1;
}

bool epoch_is_last(const struct epoch_list *list, uint32_t index)
{
	const struct epoch *epoch = &list->epochs[index], *next = epoch + 1;

	return index + 1 == list->n || next->run != epoch->run || next->number != epoch->number + 1;
}

uint64_t epoch_end_ns(const struct epoch_list *list, uint32_t index)
{
	const struct epoch *epoch = &list->epochs[index];
	const uint64_t end_ns = epoch_is_last(list, index) ? epoch->end_ns : epoch[1].loaded_ns;

	return end_ns > epoch->loaded_ns ? end_ns : epoch->loaded_ns;
}

const char *epoch_files(const struct epochs *epochs, const struct epoch_list *list, uint32_t index)
{
	if (index >= list->n)
		return "";
	const struct epoch *epoch = &list->epochs[index];
	return texts_of(epochs, epoch)->strings[epoch->files];
}

bool epoch_pattern_numbers(const char *pattern, uint32_t *first_ret, uint32_t *last_ret)
{
	int first, last;

	if (!int_list_take_range(&pattern, INT_MAX, &first, &last) || *pattern)
		return false;
	*first_ret = (uint32_t)first;
	*last_ret = (uint32_t)last;
	return true;
}

bool epoch_matches(const struct epochs *epochs, const struct epoch_list *list, uint32_t index,
		   const char *pattern)
{
	uint32_t first, last;

	if (epoch_pattern_numbers(pattern, &first, &last))
		return epoch_number(list, index) >= first && epoch_number(list, index) <= last;
	return epoch_number(list, index) > 1 &&
	       file_names_match(epoch_files(epochs, list, index), pattern);
}
