#include "collector/record/live/process_choice.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/numbers.h"
#include "cct/text/name_pattern.h"
#include "collector/record/live/targets.h"

void process_choice_deinit(struct process_choice *choice)
{
	int_list_deinit(&choice->pids);
	int_list_deinit(&choice->roots);
	int_list_deinit(&choice->uids);
	free(choice->names);
	*choice = (struct process_choice){ 0 };
}

bool process_choice_is_empty(const struct process_choice *choice)
{
	return !choice->pids.n && !choice->n_names && !choice->uids.n;
}

bool process_choice_needs_table(const struct process_choice *choice)
{
	return choice->roots.n || choice->n_names || choice->uids.n;
}

static int add_name(struct process_choice *choice, char *name)
{
	if (array_reserve_one(choice->names, choice->n_names))
		return -ENOMEM;
	choice->names[choice->n_names++] = name;
	return 0;
}

static int add_item(struct process_choice *choice, char *item)
{
	size_t size = strlen(item);

	if (!size)
		return -EINVAL;
	if (strspn(item, "0123456789-+") < size)
		return add_name(choice, item);
	if (item[size - 1] != '+')
		return int_list_add(&choice->pids, item, TARGET_PID_MAX);
	item[size - 1] = '\0';
	int err = int_list_add(&choice->pids, item, TARGET_PID_MAX);
	if (!err)
		err = int_list_add(&choice->roots, item, TARGET_PID_MAX);
	item[size - 1] = '+';
	return err;
}

int process_choice_add(struct process_choice *choice, char *text)
{
	int err = 0;

	for (char *item; !err && (item = strsep(&text, ","));)
		err = add_item(choice, item);
	return err;
}

int process_choice_add_user(struct process_choice *choice, const char *user)
{
	const struct passwd *entry = getpwnam(user);
	uint64_t uid = entry ? entry->pw_uid : 0;

	if (!entry && numbers_parse(user, INT_MAX, &uid))
		return -ENOENT;
	return int_list_insert(&choice->uids, (int)uid);
}

static bool has_value(const struct int_list *list, int value)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->values[i] == value)
			return true;
	}
	return false;
}

static int add_owned(const struct process_choice *choice, const struct process_table *table,
		     pid_t except, struct int_list *pids)
{
	int err = 0;

	for (size_t i = 0; i < table->n && !err; i++) {
		const struct process_entry *entry = &table->entries[i];

		if (entry->pid != except && entry->parent != except &&
		    has_value(&choice->uids, (int)entry->uid))
			err = int_list_insert(pids, entry->pid);
	}
	return err;
}

/* Adds the processes that have a name to a list, and sets whether there is one. */
static int add_named(const struct process_table *table, const char *name, pid_t except,
		     struct int_list *pids, bool *has_any_ret)
{
	*has_any_ret = false;
	for (size_t i = 0; i < table->n; i++) {
		const struct process_entry *entry = &table->entries[i];

		if (entry->pid == except || entry->parent == except ||
		    !name_pattern_matches_comm(name, entry->comm))
			continue;
		*has_any_ret = true;
		int err = int_list_insert(pids, entry->pid);
		if (err)
			return err;
	}
	return 0;
}

static int find_name(const struct process_table *table, const char *name, pid_t except,
		     struct int_list *pids, struct int_list *roots)
{
	bool has_any;
	size_t size = strlen(name);

	int err = add_named(table, name, except, pids, &has_any);
	if (err || has_any)
		return err;
	if (name[size - 1] != '+')
		return -ESRCH;
	_cleanup_free_ char *root = strndup(name, size - 1);
	if (!root)
		return -ENOMEM;
	err = add_named(table, root, except, roots, &has_any);
	return err || has_any ? err : -ESRCH;
}

static int add_all(struct int_list *to, const struct int_list *from)
{
	int err = 0;

	for (size_t i = 0; i < from->n && !err; i++)
		err = int_list_insert(to, from->values[i]);
	return err;
}

static int find_names(const struct process_choice *choice, const struct process_table *table,
		      pid_t except, struct int_list *pids, struct int_list *roots,
		      const char **missing_ret)
{
	*missing_ret = NULL;
	for (size_t i = 0; i < choice->n_names; i++) {
		int err = find_name(table, choice->names[i], except, pids, roots);
		if (err && err != -ESRCH)
			return err;
		if (err && !*missing_ret)
			*missing_ret = choice->names[i];
	}
	return 0;
}

int process_choice_find(const struct process_choice *choice, const struct process_table *table,
			pid_t except, struct int_list *pids, const char **missing_ret)
{
	struct int_list roots = { 0 };

	int err = find_names(choice, table, except, pids, &roots, missing_ret);
	if (!err)
		err = add_owned(choice, table, except, pids);
	if (!err)
		err = add_all(pids, &choice->pids);
	if (!err)
		err = add_all(&roots, &choice->roots);
	if (!err)
		err = process_table_add_descendants(table, except, &roots);
	if (!err)
		err = add_all(pids, &roots);
	int_list_deinit(&roots);
	return !err && *missing_ret ? -ESRCH : err;
}
