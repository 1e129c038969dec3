#include "cct/time/epochs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "cct/base/array.h"
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

int epochs_begin(struct epochs *epochs, struct epoch_list *list, const struct epoch *epoch,
		 const char *text)
{
	struct epoch begun = *epoch;
	bool is_new;

	if (!comes_after(epoch, list->n ? &list->epochs[list->n - 1] : NULL))
		return -EINVAL;
	if (epochs->n == EPOCHS_MAX) {
		epochs->n_left_out++;
		return 0;
	}
	if (string_ids_add(list->n ? &epochs->later : &epochs->at_start, text, &begun.files,
			   &is_new) ||
	    array_reserve_one(list->epochs, list->n))
		return -ENOMEM;
	list->epochs[list->n++] = begun;
	epochs->n++;
	if (list->n > epochs->n_most)
		epochs->n_most = list->n;
	return 0;
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

uint32_t epoch_list_find(const struct epoch_list *list, uint64_t start_ns, uint64_t microseconds)
{
	const uint32_t n_begun = (uint32_t)sorted_count(
		list->n, i, sample_time_us(start_ns, list->epochs[i].first_ns) <= microseconds);

	return n_begun ? n_begun - 1 : 0;
}

uint64_t epoch_end_ns(const struct epoch_list *list, uint32_t index)
{
	const struct epoch *epoch = &list->epochs[index];

	if (index + 1 < list->n)
		return epoch[1].loaded_ns;
	return list->end_ns > epoch->loaded_ns ? list->end_ns : epoch->loaded_ns;
}

const char *epoch_files(const struct epochs *epochs, const struct epoch_list *list, uint32_t index)
{
	const struct string_ids *texts = index ? &epochs->later : &epochs->at_start;

	return index < list->n ? texts->strings[list->epochs[index].files] : "";
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
		return index + 1 >= first && index + 1 <= last;
	return index && file_names_match(epoch_files(epochs, list, index), pattern);
}
