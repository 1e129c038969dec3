#include "cct/base/int_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

void int_list_deinit(struct int_list *list)
{
	free(list->values);
	*list = (struct int_list){ 0 };
}

bool int_list_has(const struct int_list *list, int value)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->values[i] == value)
			return true;
	}
	return false;
}

int int_list_insert(struct int_list *list, int value)
{
	size_t at = list->n;

	while (at && list->values[at - 1] > value)
		at--;
	if (at && list->values[at - 1] == value)
		return 0;
	int *values = reallocarray(list->values, list->n + 1, sizeof(int));
	if (!values)
		return -ENOMEM;
	list->values = values;
	memmove(values + at + 1, values + at, (list->n - at) * sizeof(int));
	values[at] = value;
	list->n++;
	return 0;
}

void int_list_remove(struct int_list *list, int value)
{
	size_t at = list->n;

	while (at && list->values[at - 1] > value)
		at--;
	if (!at || list->values[at - 1] != value)
		return;
	memmove(list->values + at - 1, list->values + at, (list->n - at) * sizeof(int));
	list->n--;
}

static bool take_number(const char **text, int max, int *number_ret)
{
	const char *at = *text;
	long number = 0;

	for (; *at >= '0' && *at <= '9' && number <= max; at++)
		number = number * 10 + (*at - '0');
	if (at == *text || number > max)
		return false;
	*text = at;
	*number_ret = (int)number;
	return true;
}

bool int_list_take_range(const char **text, int max, int *first_ret, int *last_ret)
{
	if (!take_number(text, max, first_ret))
		return false;
	*last_ret = *first_ret;
	if (**text != '-')
		return true;
	(*text)++;
	return take_number(text, max, last_ret) && *first_ret <= *last_ret;
}

/* The numbers of a text from @low on. */
struct members {
	bool *is_member; /* by number; NULL: only their bounds are wanted */
	int low, high;
};

static void mark(struct members *members, int first, int last)
{
	members->low = first < members->low ? first : members->low;
	members->high = last > members->high ? last : members->high;
	if (members->is_member)
		memset(members->is_member + (first - members->low), true,
		       (size_t)(last - first) + 1);
}

static int mark_all(const char *text, int max, struct members *members)
{
	for (;; text++) {
		int first, last;

		if (!int_list_take_range(&text, max, &first, &last))
			return -EINVAL;
		mark(members, first, last);
		if (*text != ',')
			return *text ? -EINVAL : 0;
	}
}

/* Ranges may overlap: one byte for each number between the bounds bounds the memory. */
int int_list_add(struct int_list *list, const char *text, int max)
{
	struct members members = { .low = max, .high = 0 };
	int err = mark_all(text, max, &members);

	if (err)
		return err;
	for (size_t i = 0; i < list->n; i++)
		mark(&members, list->values[i], list->values[i]);
	const int n_numbers = members.high - members.low + 1;
	_cleanup_free_ bool *is_member = calloc((size_t)n_numbers, sizeof(*is_member));
	if (!is_member)
		return -ENOMEM;
	members.is_member = is_member;
	mark_all(text, max, &members);
	for (size_t i = 0; i < list->n; i++)
		mark(&members, list->values[i], list->values[i]);

	size_t n = 0;
	for (int i = 0; i < n_numbers; i++)
		n += is_member[i];
	int *values = reallocarray(list->values, n, sizeof(int));
	if (!values)
		return -ENOMEM;
	*list = (struct int_list){ .values = values };
	for (int i = 0; i < n_numbers; i++)
		if (is_member[i])
			values[list->n++] = members.low + i;
	return 0;
}
