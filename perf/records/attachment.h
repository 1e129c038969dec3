/*
 * Attachments: data that a recording needs and perf.data has no place for (a kallsyms snapshot,
 * vdso images, perf-PID.map files, ELF parts captured while their process lived, copies of feature
 * sections for files that were cut before their end).
 *
 * They travel inside the record stream, as records of type RECORD_ATTACHMENT (65), which perf skips
 * silently. So they are on disk before the records that need them, work in pipe mode, are
 * compressed with everything else, and survive kill -9. An attachment longer than one record is a
 * run of them: same kind and key, increasing offset.
 */
#ifndef PERF_RECORDS_ATTACHMENT_H
#define PERF_RECORDS_ATTACHMENT_H

#include <assert.h>
#include <string.h>

#include "perf/records/record.h"

#define ATTACHMENT_MAGIC 0x3154544144444e44ull /* "DNDDATT1" little endian */

/* All of ours of that type begin with a magic: attachments, stack records, code records. */
static inline bool attachment_has_magic(const struct perf_event_header *record, uint64_t magic)
{
	uint64_t found;

	if (record->type != RECORD_ATTACHMENT || record->size < sizeof(*record) + sizeof(found))
		return false;
	memcpy(&found, record + 1, sizeof(found));
	return found == magic;
}

enum attachment_kind {
	ATTACHMENT_KALLSYMS = 1, /* text of /proc/kallsyms, zstd frame(s); key: empty; of a kernel
				    module that came while recording, its lines; or nothing, and
				    the key tells; keys below */
	ATTACHMENT_VDSO = 2,     /* ELF image; key: "[vdso]" (64-bit), "[vdso32]" */
	ATTACHMENT_ELF = 3,      /* ELF file or its unwind and symbol sections; key below */
	ATTACHMENT_PERF_MAP = 4, /* text of perf-PID.map, zstd frame(s); key: the pid, decimal */
	ATTACHMENT_FEATURE = 5,  /* a feature section's bytes; key: its number, decimal */
	ATTACHMENT_EVENT = 6,   /* what an event's samples count, as perf/events/event_text.h writes
				   it; key: the event's index in the file, decimal */
	ATTACHMENT_COUNTS = 7,  /* text: what each event counted in all; key: empty */
	ATTACHMENT_JITDUMP = 8, /* a jitdump file, zstd frame(s); key below */
	ATTACHMENT_FILE = 9,    /* of an archive: a file that reports read, zstd frame(s); key:
				   what it is, as in cct/object/file_search.h */
};

/*
 * On disk: perf_event_header, this header, the key (key_size bytes, no NUL), then data_size bytes
 * of payload, zero padding up to 8. total_size is that of the whole attachment;
 * (offset, data_size) is this record's part of it.
 *
 * Key of ATTACHMENT_ELF: "<build id in hex or '-'> <major>:<minor>:<inode> <path as in MMAP2>",
 * the numbers in decimal, 0:0:0 where unknown.
 * Key of ATTACHMENT_JITDUMP: "<pid> <major>:<minor>:<inode> <path as in MMAP2>", of the mapping.
 * Key of an empty ATTACHMENT_KALLSYMS: "entry <start> <end>": the kernel's code between these
 * addresses, hex, is entered by interrupts and exceptions, so its callers are where those came.
 * Key of ATTACHMENT_KALLSYMS of a module:
 * "[name] <start> <size> <absent> <build id in hex or '-'> <present>": addresses in hex, then two
 * times in ns, decimal, on the records' clock: of the last look that did not find the module
 * loaded, and of the first that did (0: unknown).
 */
struct attachment_header {
	uint64_t magic;
	uint32_t kind;
	uint32_t key_size;
	uint64_t total_size;
	uint64_t offset;
	uint32_t data_size;
	uint32_t reserved;
};
static_assert(sizeof(struct attachment_header) == 40, "on-disk layout");

/*
 * Files are often captured after samples that ran in them, when their path was found to lead
 * elsewhere, and the names of code made at run time when all of it is made. So in a file (not a
 * pipe) these attachments are plain records, and the feature section of this number in a finished
 * file lists where they are, for a reader to take them first.
 */
#define ATTACHMENT_FEATURE_NUMBER 192

struct attachment_range {
	uint64_t offset, size; /* of the records, in the file */
};
static_assert(sizeof(struct attachment_range) == 16, "on-disk layout");

#endif
