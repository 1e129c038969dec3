/*
 * A folder of requests that wait to be sent, each a file (collector/push/spool_request.h). A file
 * is whole and on the disk when it gets its name; names sort by age. One process writes at a time,
 * and one sends.
 *
 * The folder is bounded: the oldest requests make room for new ones, and are counted.
 */
#ifndef COLLECTOR_PUSH_SPOOL_H
#define COLLECTOR_PUSH_SPOOL_H

#include <stdbool.h>

#include "collector/push/spool_request.h"

#define SPOOL_NAME_MAX 64
#define SPOOL_REFUSED  ".refused" /* ends the name of a request that the server will never take */

struct spool_file {
	char name[SPOOL_NAME_MAX];
	uint64_t size;
};

struct spool {
	char *path; /* owned */
	int fd;     /* of the folder; -1: not open */
	int lock_fd;
	struct spool_file *files; /* by age */
	size_t n_files, n_allocated;
	size_t first;     /* those before it were dropped */
	uint64_t size;    /* of all others */
	uint64_t last_ns; /* that a name was made of */
	unsigned n_added; /* since it was opened */
	uint64_t n_added_bytes;
	unsigned n_dropped; /* to make room; closing adds them to those of others */
	uint64_t n_dropped_bytes;
};

/* Why somebody opens it: others with the same purpose wait until it is closed. */
enum spool_use { SPOOL_WRITE, SPOOL_SEND };

/*
 * Opens the folder, which is made, for its owner alone, if it is missing, and lists what is in it.
 * 0, or -errno with *@error_ret, a sentence on the heap or NULL; it may be closed in any case.
 */
int spool_open(struct spool *spool, const char *path, enum spool_use use, char **error_ret);
void spool_close(struct spool *spool);
/* Drops the oldest requests until @max bytes are enough for this one, too. 0; -EFBIG: they never
 * are; or -errno. */
int spool_add(struct spool *spool, const struct spool_request *request, uint64_t max);
/* 0; -EBADMSG: it is not a request; -ENOENT: it was dropped meanwhile; or -errno. */
int spool_read(const struct spool *spool, const struct spool_file *file, struct file_text *text,
	       struct spool_request *request_ret);
/* The server has taken it. 0 or -errno. */
int spool_remove(const struct spool *spool, const struct spool_file *file);
/*
 * Notes that it is being sent, for the first time: so the server may have it already, although
 * nobody knows of an answer. The file is not writable then, and its time is that of the note. 0 or
 * -errno.
 */
int spool_note_sent(const struct spool *spool, const struct spool_file *file);
/* When that was noted, in nanoseconds since 1970 by this machine's clock, which may have been set
 * since; 1: in 1970 or before; 0: never. */
uint64_t spool_sent_ns(const struct spool *spool, const struct spool_file *file);
/* Keeps it under a name that nobody sends. 0 or -errno. */
int spool_refuse(const struct spool *spool, const struct spool_file *file);
bool spool_is_refused(const struct spool_file *file);
/* What is in a spool, for who watches it. */
struct spool_state {
	uint64_t n_waiting, n_waiting_bytes;
	uint64_t n_refused;
	uint64_t n_dropped, n_dropped_bytes; /* to make room, since the folder was made */
};

/* Without waiting for others. 0; -ENOENT: there is no such folder; or -errno. */
int spool_look(const char *path, struct spool_state *state_ret);
/* Of the user: /var/lib/dendro/spool for root, else below $XDG_STATE_HOME. Heap; NULL: there is no
 * home, or no memory. */
char *spool_default_path(void);

#endif
