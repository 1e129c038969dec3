/*
 * What a database has been given of what is the same for all times, as paths and names: numbers in
 * a file beside the requests of a spool. Only what a server has taken is noted, and the file is
 * named by the database's own identity, so new tables get everything again. A file
 * that is a week old, or too large, begins again; what is sent twice is there once.
 */
#ifndef COLLECTOR_PUSH_KNOWN_KEYS_H
#define COLLECTOR_PUSH_KNOWN_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "cct/base/hash_table.h"

/* All zero knows nothing. */
struct known_keys {
	struct hash_table keys;
};

void known_keys_deinit(struct known_keys *known);
/* Reads the file of a database in the folder; one that cannot be read, or that begins again, is
 * removed, and nothing is known. 0 or -ENOMEM. */
int known_keys_read(struct known_keys *known, int folder_fd, const char *database_id);
bool known_keys_has(const struct known_keys *known, uint64_t key);
/* In memory. 0 or -ENOMEM. */
int known_keys_add(struct known_keys *known, uint64_t key);
/* Notes in the file that the server has these, each of 8 bytes. 0 or -errno. */
int known_keys_note(int folder_fd, const char *database_id, const void *keys, size_t n);

#endif
