/* dendro's tables in a database: whether they are there, and which; and making them. */
#ifndef COLLECTOR_SEND_DATABASE_H
#define COLLECTOR_SEND_DATABASE_H

#include "collector/send/transfer.h"

#define DATABASE_ID_SIZE 37 /* with a NUL */

struct database {
	const char *url, *name; /* borrowed */
	const char *cluster;    /* borrowed; NULL: none */
	uint32_t version;       /* of the tables; 0: there are none */
	char id[DATABASE_ID_SIZE];
};

/* Finds ->version and ->id. PUSH_TAKEN, or as transfer_ask(). */
enum push_verdict database_look(struct database *database, struct transfer *transfer,
				char **words_ret);
/* Likewise; PUSH_STOP if this dendro cannot write into these tables. */
enum push_verdict database_check(struct database *database, struct transfer *transfer,
				 char **words_ret);
/* Makes the database, and the tables that it lacks. *@n_ret: statements that were executed.
 * Likewise.
 */
enum push_verdict database_create(struct database *database, struct transfer *transfer,
				  unsigned *n_ret, char **words_ret);

#endif
