/*
 * dendro-send, the program that sends what is in a spool. It alone speaks with the network, and
 * reads no profiles; dendro, which reads them, has no library for that.
 */
#ifndef COLLECTOR_PUSH_SEND_PROGRAM_H
#define COLLECTOR_PUSH_SEND_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* Texts are borrowed; NULL: not given. */
struct send_options {
	const char *spool, *url;
	const char *user, *token_file, *ca_file, *tenant;
	const char *database, *cluster;
	uint64_t retry_ns;
	bool is_quiet; /* what was sent is not told */
};

/* Beside this program, or in ../libexec/dendro. Heap; NULL: it is not there, or no memory. */
char *send_program_find(void);
/* Sends. Its exit status, or 1 after a message. @program: its path. */
int send_program_run(const char *program, const struct send_options *options);
/* Whether a database has dendro's tables: 0, with its identity; SEND_EXIT_AGAIN: nobody can say
 * now; or another value after a message. */
#define SEND_EXIT_AGAIN       75
#define SEND_DATABASE_ID_SIZE 37
int send_program_check(const char *program, const struct send_options *options,
		       char id_ret[static SEND_DATABASE_ID_SIZE]);
/* Makes the tables. Its exit status, or 1 after a message. */
int send_program_create_tables(const char *program, const struct send_options *options);
/* Adds an option to a list of arguments that has room for it, and NULL after it. @value NULL: it
 * is left out. Both are borrowed. */
void send_program_add(char **arguments, const char *name, const char *value);

#endif
