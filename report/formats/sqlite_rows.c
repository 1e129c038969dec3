#include "report/formats/sqlite_rows.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/stream.h"

/* Nobody else sees the file before it is complete, so nothing has to survive a crash. */
static const char settings[] = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
			       "PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-16384; BEGIN;";

static void note(struct sqlite_rows *rows, int code)
{
	if (rows->err || code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW)
		return;
	rows->err = code == SQLITE_NOMEM    ? -ENOMEM
		    : code == SQLITE_FULL   ? -ENOSPC
		    : code == SQLITE_TOOBIG ? -E2BIG
					    : -EIO;
}

/* The file has a name only until it is open. */
static void open_file(struct sqlite_rows *rows)
{
	const char *folder = getenv("TMPDIR");
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/dendro-XXXXXX", folder && *folder ? folder : "/tmp") >=
	    (int)sizeof(path)) {
		rows->err = -ENAMETOOLONG;
		return;
	}
	rows->fd = mkstemp(path);
	if (rows->fd < 0) {
		rows->err = -errno;
		return;
	}
	note(rows, sqlite3_open_v2(path, &rows->database,
				   SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));
	sqlite_rows_run(rows, settings);
	unlink(path);
}

/* One thread writes, so that the library needs no locks and no statistics of its memory. It refuses
 * once it was used before, which then is just slower. */
static void configure_library(void)
{
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

void sqlite_rows_open(struct sqlite_rows *rows, const char *schema)
{
	*rows = (struct sqlite_rows){ .fd = -1 };
	configure_library();
	open_file(rows);
	sqlite_rows_run(rows, schema);
}

void sqlite_rows_close(struct sqlite_rows *rows)
{
	sqlite3_finalize(rows->statement);
	sqlite3_close(rows->database);
	if (rows->fd >= 0)
		close(rows->fd);
}

void sqlite_rows_run(struct sqlite_rows *rows, const char *sql)
{
	if (!rows->err)
		note(rows, sqlite3_exec(rows->database, sql, NULL, NULL, NULL));
}

void sqlite_rows_begin(struct sqlite_rows *rows, const char *insertion)
{
	sqlite3_finalize(rows->statement);
	rows->statement = NULL;
	rows->column = 0;
	if (!rows->err)
		note(rows,
		     sqlite3_prepare_v2(rows->database, insertion, -1, &rows->statement, NULL));
}

void sqlite_rows_number(struct sqlite_rows *rows, uint64_t number)
{
	if (!rows->err)
		note(rows,
		     sqlite3_bind_int64(rows->statement, ++rows->column, (sqlite3_int64)number));
}

void sqlite_rows_optional(struct sqlite_rows *rows, uint32_t number)
{
	if (number != UINT32_MAX)
		sqlite_rows_number(rows, number);
	else if (!rows->err)
		note(rows, sqlite3_bind_null(rows->statement, ++rows->column));
}

void sqlite_rows_text(struct sqlite_rows *rows, const char *text)
{
	_cleanup_free_ char *copy = text ? printable_copy(text) : NULL;

	if (text && !copy && !rows->err)
		rows->err = -ENOMEM;
	if (!rows->err)
		note(rows, sqlite3_bind_text(rows->statement, ++rows->column, copy, -1,
					     SQLITE_TRANSIENT));
}

void sqlite_rows_end(struct sqlite_rows *rows)
{
	if (rows->err)
		return;
	note(rows, sqlite3_step(rows->statement));
	note(rows, sqlite3_reset(rows->statement));
	rows->column = 0;
}

static int copy_file(int fd, FILE *out)
{
	char bytes[64 << 10];
	ssize_t n = lseek(fd, 0, SEEK_SET) < 0 ? -1 : 1;

	while (n > 0) {
		n = read(fd, bytes, sizeof(bytes));
		errno = n < 0 ? errno : 0;
		if (n > 0 && fwrite(bytes, 1, (size_t)n, out) < (size_t)n)
			return errno ? -errno : -EIO;
	}
	return n < 0 ? -errno : stream_finish(out);
}

int sqlite_rows_finish(struct sqlite_rows *rows, FILE *out)
{
	sqlite3_finalize(rows->statement);
	rows->statement = NULL;
	sqlite_rows_run(rows, "COMMIT");
	return rows->err ? rows->err : copy_file(rows->fd, out);
}
