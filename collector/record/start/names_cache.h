/*
 * The kernel's permanent names, compressed, from one recording of root's to the next: a file in
 * /run/dendro, which only root may enter. Reading and compressing them takes tens of milliseconds,
 * and they change with the modules only.
 *
 * The file is used only if it and the folder belong to this user and nobody else has any right
 * to them, if neither is a symbolic link, and if the file has the right key and checksum. It is
 * replaced by rename(2), so that several recorders see a whole one. There is one
 * file of NAMES_CACHE_MAX bytes at most, and one that is being written.
 */
#ifndef COLLECTOR_RECORD_START_NAMES_CACHE_H
#define COLLECTOR_RECORD_START_NAMES_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/record/start/names_key.h"

#define NAMES_CACHE_FOLDER "/run/dendro"
#define NAMES_CACHE_MAX    (32u << 20)

struct names_cache_entry {
	uint64_t text_start, text_end, entry_start, entry_end; /* struct kernel_snapshot_result */
	uint32_t text_symbol;                                  /* index of its name */
	uint32_t iterator;                                     /* passing_symbols_find_iterator() */
	uint64_t compressed_size;
};

/* *@compressed_ret: heap. 0; -ENOENT: no entry can be used, for whatever reason;
 * -ENOMEM. */
int names_cache_read(const char *folder, const struct names_key *key,
		     struct names_cache_entry *entry_ret, uint8_t **compressed_ret);
/* Makes the folder if necessary. 0 or -errno; -EBUSY: another process is writing. */
int names_cache_write(const char *folder, const struct names_key *key,
		      const struct names_cache_entry *entry, const uint8_t *compressed);

#endif
