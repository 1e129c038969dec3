/*
 * What a database of profiles has about the selected samples, in tables: costs by path,
 * the paths, the modules and names of their code, and when what was recorded. Each table is read
 * from one answer, whose columns db_queries.h has. Answers may be anything: what does not fit
 * together is refused or counted.
 */
#ifndef COLLECTOR_DATABASE_DB_ANSWERS_H
#define COLLECTOR_DATABASE_DB_ANSWERS_H

#include "cct/base/pair_map.h"
#include "cct/model/profile.h"
#include "collector/database/row_binary.h"

#define DB_ROWS_MAX   (1u << 24)
#define DB_FRAMES_MAX (1u << 26) /* of all paths */
#define DB_DEPTH_MAX  (1u << 16) /* of a path */
#define DB_NAMES_MAX  (1u << 24)

/* Samples of a host, process, event and path. */
struct db_cost {
	uint32_t host, process, metric; /* in the tables of texts */
	uint32_t stack;
	uint64_t samples, weight;
	double squares;
};

struct db_stack {
	uint64_t first; /* of ->frames */
	uint32_t n;
	bool is_known; /* the database has it */
	uint8_t end;   /* enum row_end, as far as the frames say it */
	uint8_t marks; /* 1 << enum path_mark */
};

struct db_module {
	bool is_known;
	bool is_text;          /* of a waker or a value */
	struct module_key key; /* key.path is owned */
};

/* Of a host. */
struct db_run {
	uint32_t host;
	uint64_t start_ns, end_ns; /* since 1970 */
};

/* Of an event on a host. */
struct db_event {
	uint32_t host, metric, unit; /* in the tables of texts */
	uint64_t samples, lost, counted, enabled_ns, running_ns;
	uint8_t flags_of_all, flags_of_any; /* enum db_event_flag */
};

enum db_event_flag { DB_COUNTED = 1, DB_SCALED = 2, DB_WAITS = 4, DB_TAKES_ALL = 8 };

/* All zero is empty. */
struct db_answers {
	struct string_ids hosts, processes, metrics, units;
	struct db_cost *costs;
	uint32_t n_costs, n_costs_allocated;
	uint64_t n_samples, weight; /* of all */
	struct pair_map stack_ids;  /* by the two halves of their numbers */
	struct db_stack *stacks;
	uint32_t n_stacks, n_stacks_allocated;
	/* Outermost first; frame.module is an index of ->modules, and 1. */
	struct frame *frames;
	uint64_t n_frames, n_frames_allocated;
	struct pair_map module_ids;
	struct db_module *modules;
	uint32_t n_modules, n_modules_allocated;
	struct stored_names *names; /* whose modules are likewise */
	struct db_run *runs;
	uint32_t n_runs, n_runs_allocated;
	struct db_event *events;
	uint32_t n_events, n_events_allocated;
	struct profile_quality quality; /* of the windows */
	/* Of all windows; where they differ, empty; owned. */
	char *host, *kernel, *arch, *cpu;
	uint32_t n_cpus;
};

void db_answers_deinit(struct db_answers *answers);

/* What an answer is read with. 0, -ENOMEM, or -EINVAL with rows->wrong. */
typedef int (*db_reader)(struct db_answers *answers, struct row_binary *rows);

/* In this order: a table refers to those before it. */
enum db_table {
	DB_EVENTS, /* in the order in which they were recorded, which is that of the profile */
	DB_COSTS,
	DB_STACKS,
	DB_MODULES,
	DB_LATE_NAMES, /* of code that had none when it was sent: the first that is read stays */
	DB_NAMES,
	DB_RUNS,
	DB_QUALITY,
	N_DB_TABLES
};
extern const db_reader db_readers[N_DB_TABLES];

#endif
