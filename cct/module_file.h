/*
 * Where a module's bytes can be had now, and whether they are still the bytes that ran.
 *
 * Order: the captured image; the path; the alternative path. A file whose build ID differs from the
 * recorded one is never used. Where no build ID was recorded, device and inode decide if known.
 * For users of libelf: unwind (CFI) and report (symbols). Each opens a module once.
 */
#ifndef CCT_MODULE_FILE_H
#define CCT_MODULE_FILE_H

#include <libelf.h>

#include "cct/module.h"

enum module_file_state {
	MODULE_FILE_OK,
	MODULE_FILE_MISSING, /* no such file, or not readable */
	MODULE_FILE_CHANGED, /* another file than the one recorded */
	MODULE_FILE_BAD,     /* not an ELF file */
	MODULE_FILE_NONE,    /* this kind of module has no file */
};

struct module_file {
	enum module_file_state state;
	int fd;   /* owned; -1 unless OK */
	Elf *elf; /* owned; NULL unless OK */
};

/* Always fills @file. Threads: any, each with its own @file. */
void module_file_open(const struct module *module, struct module_file *file);
/* Whether device and inode of an open file are the recorded ones, if any are. */
bool module_file_is_recorded(int fd, const struct module_key *key);
/*
 * The separate debug file of @elf, a module's file: by build ID below /usr/lib/debug, or by the
 * name in .gnu_debuglink beside @path (may be NULL), in .debug there, or below /usr/lib/debug. It
 * has the same build ID, always. Fills @file; MODULE_FILE_MISSING: there is none.
 */
void module_file_open_debug(const char *path, Elf *elf, struct module_file *file);
/*
 * A file that debug information in the file at @beside (may be NULL) names: below /usr/lib/debug by
 * @build_id, which it must have; or, where that is NULL or nothing is there, @name, relative to the
 * folder of @beside. Fills @file; MODULE_FILE_MISSING: there is none.
 */
void module_file_open_named(const char *beside, const char *name, const struct build_id *build_id,
			    struct module_file *file);
void module_file_close(struct module_file *file);
/* Reads the build ID note of an open ELF file; size 0 if it has none. */
void elf_build_id(Elf *elf, struct build_id *ret);
const char *module_file_state_text(enum module_file_state state);

#endif
