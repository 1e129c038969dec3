/*
 * The processes that a user chose with -p: numbers and names, each with or without the processes
 * that descend from it, "12,postgres,34+,nginx+"; or with -u, by whose they are.
 */
#ifndef COLLECTOR_RECORD_LIVE_PROCESS_CHOICE_H
#define COLLECTOR_RECORD_LIVE_PROCESS_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cct/base/int_list.h"
#include "collector/record/live/process_table.h"

struct process_choice {
	struct int_list pids;  /* with those whose descendants are chosen, too */
	struct int_list roots; /* the processes whose descendants are chosen, too */
	char **names;          /* heap, as written, with a plus at the end; each is borrowed */
	size_t n_names;
	struct int_list uids;
};

void process_choice_deinit(struct process_choice *choice);
bool process_choice_is_empty(const struct process_choice *choice);
/* Whether the chosen processes can only be found in a process table. */
bool process_choice_needs_table(const struct process_choice *choice);
/*
 * Adds a list as the user wrote it. It is cut into pieces, which the choice borrows. Items of
 * digits, '-' and '+' are numbers or ranges. 0; -EINVAL: a number is wrong, or an item is empty;
 * -ENOMEM.
 */
int process_choice_add(struct process_choice *choice, char *text);
/* Adds the processes of a user, by name or number. 0; -ENOENT: there is no such user; -ENOMEM. */
int process_choice_add_user(struct process_choice *choice, const char *user);
/*
 * Adds to @pids the chosen processes of the table, and numbers whether they are in it or not. Names
 * are compared as the names of samples; one that ends with a plus and that no process has means the
 * name without the plus, with descendants. @except and what it started are only chosen by number. 0
 * or -ENOMEM; -ESRCH: no process has the name *@missing_ret (borrowed from the choice), and the
 * others are added.
 */
int process_choice_find(const struct process_choice *choice, const struct process_table *table,
			pid_t except, struct int_list *pids, const char **missing_ret);

#endif
