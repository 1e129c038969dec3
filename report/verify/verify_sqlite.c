/*
 * The file may be hostile: it is opened in memory, its schema is not trusted, and the steps that
 * SQLite may take are bounded by its size.
 */
#include "report/verify/verify_sqlite.h"

#include <sqlite3.h>
#include <string.h>

#define VERSION        1
#define N_TABLES       10
#define HEADER_SIZE    100
#define PAGE_SIZE_AT   16
#define PAGE_COUNT_AT  28
#define STEPS          10000 /* between two calls of on_steps() */
#define FIRST_CALLS    1000
#define BYTES_FOR_CALL 100 /* a call more for so many bytes of the file */

/* A query without rows where all is right; a row's first column says where it is not. */
static const struct check {
	const char *query, *what, *problem;
} checks[] = {
	{ "SELECT rowid FROM pragma_foreign_key_check LIMIT 1", "row",
	  "refers to what is not there" },
	{ "SELECT id FROM paths WHERE parent_id >= id LIMIT 1", "path", "is not after its parent" },
	{ "SELECT b.id FROM samples a JOIN samples b ON b.id = a.id + 1"
	  " WHERE b.time_ns < a.time_ns LIMIT 1",
	  "sample", "is before the last" },
	{ "SELECT e.id FROM events e JOIN (SELECT event_id, SUM(samples) AS n, SUM(weight) AS w"
	  " FROM samples GROUP BY 1) s ON s.event_id = e.id WHERE s.n > e.samples OR s.w > e.total"
	  " LIMIT 1",
	  "event", "has more in its samples than its total" },
	{ "SELECT c.path_id FROM path_costs c LEFT JOIN (SELECT path_id, event_id,"
	  " SUM(samples) AS n, SUM(weight) AS w FROM samples WHERE path_id IS NOT NULL"
	  " GROUP BY 1, 2) s ON s.path_id = c.path_id AND s.event_id = c.event_id"
	  " WHERE c.self_samples <> COALESCE(s.n, 0) OR c.self <> COALESCE(s.w, 0) LIMIT 1",
	  "path", "has costs that are not the sum of its samples" },
};

struct checker {
	struct verification *verification;
	sqlite3 *database;
	uint64_t calls_left;
};

/* The header says how long the file is (sqlite.org/fileformat2.html, 1.3); SQLite itself passes
 * over a last page that is cut. */
static bool check_size(struct verification *verification, const uint8_t *bytes, size_t size)
{
	static const char magic[] = "SQLite format 3";

	if (size < HEADER_SIZE || memcmp(bytes, magic, sizeof(magic)) != 0)
		return verification_fail(verification, "it does not begin as a database of SQLite");
	const unsigned given = (unsigned)bytes[PAGE_SIZE_AT] << 8 | bytes[PAGE_SIZE_AT + 1];
	const size_t page_size = given == 1 ? 65536 : given;
	const uint8_t *count = bytes + PAGE_COUNT_AT;
	const size_t n_pages =
		(size_t)count[0] << 24 | (size_t)count[1] << 16 | (size_t)count[2] << 8 | count[3];

	return n_pages * page_size == size ||
	       verification_fail(verification, "it has %zu bytes, and %zu pages of %zu: it is cut",
				 size, n_pages, page_size);
}

static int on_steps(void *argument)
{
	struct checker *checker = argument;

	return !checker->calls_left--;
}

static bool fail(struct checker *checker)
{
	const int code = sqlite3_errcode(checker->database);

	if (code == SQLITE_NOMEM)
		return verification_lacks_memory(checker->verification);
	return verification_fail(checker->verification, "SQLite says: %s",
				 sqlite3_errmsg(checker->database));
}

/* The statement, at its first row if *@has_row_ret. NULL after a problem. */
static sqlite3_stmt *ask(struct checker *checker, const char *query, bool *has_row_ret)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(checker->database, query, -1, &statement, NULL) == SQLITE_OK) {
		const int code = sqlite3_step(statement);

		*has_row_ret = code == SQLITE_ROW;
		if (code == SQLITE_ROW || code == SQLITE_DONE)
			return statement;
	}
	fail(checker);
	sqlite3_finalize(statement);
	return NULL;
}

/* The number that a query gives; -1 after a problem. */
static int64_t ask_number(struct checker *checker, const char *query)
{
	bool has_row;
	sqlite3_stmt *statement = ask(checker, query, &has_row);
	const int64_t number = statement && has_row ? sqlite3_column_int64(statement, 0) : -1;

	sqlite3_finalize(statement);
	return number;
}

static bool check_schema(struct checker *checker)
{
	const int64_t version = ask_number(checker, "PRAGMA user_version");
	const int64_t n_tables = ask_number(
		checker, "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name IN"
			 " ('info', 'events', 'processes', 'threads', 'modules', 'functions',"
			 " 'frames', 'paths', 'path_costs', 'samples')");

	if (checker->verification->problem || checker->verification->lacks_memory)
		return false;
	if (version != VERSION)
		return verification_fail(checker->verification,
					 "its version is %lld, and %d can be checked",
					 (long long)version, VERSION);
	return n_tables == N_TABLES ||
	       verification_fail(checker->verification, "%lld of %d tables are there",
				 (long long)n_tables, N_TABLES);
}

static bool check_pages(struct checker *checker)
{
	bool has_row;
	sqlite3_stmt *statement = ask(checker, "PRAGMA integrity_check(1)", &has_row);
	const char *text =
		statement && has_row ? (const char *)sqlite3_column_text(statement, 0) : NULL;

	if (statement && (!text || strcmp(text, "ok") != 0))
		verification_fail(checker->verification, "SQLite says: %s", text ? text : "");
	sqlite3_finalize(statement);
	return !checker->verification->problem && !checker->verification->lacks_memory;
}

static bool check(struct checker *checker, const struct check *check)
{
	bool has_row;
	sqlite3_stmt *statement = ask(checker, check->query, &has_row);

	if (!statement)
		return false;
	if (has_row)
		verification_fail(checker->verification, "%s %lld %s", check->what,
				  (long long)sqlite3_column_int64(statement, 0), check->problem);
	sqlite3_finalize(statement);
	return !has_row;
}

static bool check_all(struct checker *checker)
{
	if (!check_schema(checker) || !check_pages(checker))
		return false;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (!check(checker, &checks[i]))
			return false;
	}
	return true;
}

/* The database is read from a copy of the bytes. */
static bool open_bytes(struct checker *checker, const uint8_t *bytes, size_t size)
{
	sqlite3 *database = checker->database;
	unsigned char *copy = sqlite3_malloc64(size + 1);

	if (!copy)
		return verification_lacks_memory(checker->verification);
	memcpy(copy, bytes, size);
	sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_progress_handler(database, STEPS, on_steps, checker);
	return sqlite3_deserialize(database, "main", copy, (sqlite3_int64)size, (sqlite3_int64)size,
				   SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) ==
		       SQLITE_OK ||
	       fail(checker);
}

void verify_sqlite(struct verification *verification, const uint8_t *bytes, size_t size)
{
	struct checker checker = { .verification = verification,
				   .calls_left = FIRST_CALLS + size / BYTES_FOR_CALL };

	if (!check_size(verification, bytes, size))
		return;
	if (sqlite3_open_v2(":memory:", &checker.database,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		verification_lacks_memory(verification);
	else if (open_bytes(&checker, bytes, size))
		check_all(&checker);
	sqlite3_close(checker.database);
}
