/* Options that leave samples out: by command, process, thread, CPU, cgroup, event, phase, epoch,
 * time, value of a variable.
 * And what divides those that are left: another value. */
#ifndef COLLECTOR_COMMAND_LINE_FILTER_OPTIONS_H
#define COLLECTOR_COMMAND_LINE_FILTER_OPTIONS_H

#include "cct/base/int_list.h"
#include "collector/command-line/options.h"
#include "collector/session/dendro.h"
#include "report/values/value_condition.h"

struct name_list {
	const char **names; /* heap; the names are argv's */
	size_t n;
};

struct filter_options {
	struct name_list comms, cgroups, events, phases, epochs;
	struct name_list where; /* of where_or_sql_option, as the user wrote them */
	struct condition_list {
		struct value_condition **conditions; /* heap, as each is */
		size_t n;
	} conditions;
	struct value_subject *split; /* heap; NULL: none */
	struct int_list pids, tids, cpus;
	struct time_option {
		bool is_given;
		struct time_range range;
	} time;
};

/* For a struct filter_options; the second one for commands that show or write paths. */
extern const struct command_option filter_options[];
extern const struct command_option split_option[];
/* --where: a condition on values; or, of commands that may read a database, that or SQL. */
extern const struct command_option where_option[];
extern const struct command_option where_or_sql_option[];
/* For command_line.refused: of commands that have conditions only, and of those that record. */
extern const struct command_option refused_split[];
extern const struct command_option refused_values[];

/* No database is read: what --where has is conditions on values. 0, or an exit status after a
 * message. */
int filter_options_take_where(const char *command, struct filter_options *options);
void filter_options_deinit(struct filter_options *options);
/* The filter borrows the lists. */
struct dendro_filter filter_options_filter(const struct filter_options *options);

#endif
