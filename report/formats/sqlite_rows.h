/*
 * Adds rows to the tables of a new SQLite database, in one transaction. Errors persist: after the
 * first, all functions do nothing.
 *
 *	sqlite_rows_begin(&rows, "INSERT INTO events VALUES(?,?)");
 *	sqlite_rows_number(&rows, 1);
 *	sqlite_rows_text(&rows, "cycles");
 *	sqlite_rows_end(&rows);
 */
#ifndef REPORT_FORMATS_SQLITE_ROWS_H
#define REPORT_FORMATS_SQLITE_ROWS_H

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>

struct sqlite_rows {
	sqlite3 *database;
	sqlite3_stmt *statement;
	int column; /* the last one that was given a value */
	int fd;     /* the database, a file that has no name any more */
	int err;    /* -errno of the first error; 0: none */
};

/* A database with these tables. */
void sqlite_rows_open(struct sqlite_rows *rows, const char *schema);
void sqlite_rows_close(struct sqlite_rows *rows);
/* Runs statements. */
void sqlite_rows_run(struct sqlite_rows *rows, const char *sql);
/* The rows that follow are of this statement. */
void sqlite_rows_begin(struct sqlite_rows *rows, const char *insertion);
/* The next column of the row. NULL and, of optional numbers, UINT32_MAX are SQL's NULL. */
void sqlite_rows_number(struct sqlite_rows *rows, uint64_t number);
void sqlite_rows_optional(struct sqlite_rows *rows, uint32_t number);
void sqlite_rows_text(struct sqlite_rows *rows, const char *text);
/* The row is complete. */
void sqlite_rows_end(struct sqlite_rows *rows);
/* Ends the transaction, and copies the database to @out. 0 or the -errno of any error. */
int sqlite_rows_finish(struct sqlite_rows *rows, FILE *out);

#endif
