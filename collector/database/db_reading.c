#include "collector/database/db_reading.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "collector/command-line/messages.h"
#include "collector/database/db_profile.h"
#include "collector/database/db_queries.h"

static int complain(const struct row_binary *rows, char **error_ret)
{
	if (rows->lacks_memory)
		return -ENOMEM;
	*error_ret = sentence("The server's answer can't be used: %s.", rows->wrong);
	return -EINVAL;
}

int db_reading_ask(struct db_connection *connection, const char *query, db_row_reader read,
		   void *data, char **error_ret)
{
	struct row_binary rows = { 0 };

	*error_ret = NULL;
	if (!query)
		return -ENOMEM;
	int err = db_connection_ask(connection, query, &rows.in, error_ret);
	if (err)
		return err;
	err = read(data, &rows);
	/* A row that is cut off may be so because the answer is, whose reason comes at its end. */
	if (!err || (rows.wrong && feof(rows.in)))
		err = db_connection_end(connection, error_ret);
	if (row_binary_err(&rows) && !*error_ret)
		err = complain(&rows, error_ret);
	row_binary_deinit(&rows);
	return err;
}

/* The table of an answer. */
struct reading {
	struct db_answers *answers;
	enum db_table table;
};

static int read_table(void *data, struct row_binary *rows)
{
	const struct reading *reading = data;

	return db_readers[reading->table](reading->answers, rows);
}

static void note_lacks(const char *command, const struct db_lacks *lacks)
{
	if (lacks->n_samples)
		message_note(command,
			     "%" PRIu64 " samples have call paths that the database does not have "
			     "(yet).",
			     lacks->n_samples);
	if (lacks->n_modules)
		message_note(command,
			     "%u programs or libraries are not known to the database (yet).",
			     lacks->n_modules);
	if (lacks->has_estimates)
		message_note(command,
			     "events shared counters: their costs are estimates, as when they were "
			     "pushed.");
}

static int read_tables(struct db_connection *connection, const struct db_selection *selection,
		       struct db_answers *answers, char **error_ret)
{
	int err = 0;

	for (int table = 0; table < N_DB_TABLES && !err; table++) {
		struct reading reading = { answers, (enum db_table)table };
		_cleanup_free_ char *query = db_query_of(reading.table, selection);

		err = db_reading_ask(connection, query, read_table, &reading, error_ret);
	}
	return err;
}

int db_reading_run(const char *command, const struct db_options *options,
		   const struct time_span *span, struct profile **profile_ret, char **error_ret)
{
	const struct db_selection selection = { .where = options->where,
						.span = *span,
						.by_host = options->by_host };
	struct db_answers answers = { 0 };
	struct db_lacks lacks;
	int err = read_tables(options->connection, &selection, &answers, error_ret);

	if (!err && !answers.n_costs) {
		*error_ret = sentence("The database has no such samples: it may have other "
				      "services, hosts or times.");
		err = -ENODATA;
	}
	if (!err)
		err = db_profile_make(&answers, profile_ret, &lacks);
	if (!err)
		note_lacks(command, &lacks);
	db_answers_deinit(&answers);
	return err;
}
