/*
 * Finds the file with a module's bytes, and checks whether they are still the bytes that ran.
 *
 * Searched in this order: the captured image; the recording's files; the path; the alternative
 * path; the path below the root of a process; debuginfod's cache. A file whose build ID differs
 * from the recorded one is never used. Where no build ID was recorded, device and inode decide if
 * known, and a file that was written after it was mapped, or after the recording, is used, but
 * marked as doubtful. So is a file in a sysroot, because device and inode of a copy differ from
 * those of the original. Used by the unwinder (CFI) and the report (symbols), each of which opens a
 * module once.
 */
#ifndef CCT_OBJECT_MODULE_FILE_H
#define CCT_OBJECT_MODULE_FILE_H

#include <libelf.h>
#include <stdbool.h>

#include "cct/model/module.h"
#include "cct/object/file_search.h"

enum module_file_state {
	MODULE_FILE_OK,
	MODULE_FILE_MISSING, /* no such file, or not readable: struct module_file's error */
	MODULE_FILE_CHANGED, /* another file than the one recorded */
	MODULE_FILE_BAD,     /* not an ELF file */
	MODULE_FILE_NONE,    /* this kind of module has no file */
};

/* Why a file that is used may be another one than the file that ran: no build ID was recorded. */
enum module_file_doubt {
	MODULE_FILE_CERTAIN,
	MODULE_FILE_NEWER, /* it was modified after it was first mapped */
	MODULE_FILE_COPY,  /* it is in a sysroot: nothing identifies it but its path */
};

struct module_file {
	enum module_file_state state;
	int fd;                       /* owned; -1 unless OK */
	Elf *elf;                     /* owned; NULL unless OK */
	int error;                    /* MISSING: the -errno of opening it */
	struct build_id found;        /* CHANGED: that of the file that is there; size 0: none */
	enum module_file_doubt doubt; /* OK only */
	bool is_at_path;              /* OK only: it is what the module's path leads to here */
};

/* Always fills @file. Threads: any, each with its own @file. */
void module_file_open(const struct module *module, struct module_file *file);
/* Whether device and inode of an open file are the recorded ones, if any are. */
bool module_file_is_recorded(const struct file_search *files, int fd, const struct module_key *key);
/*
 * The separate debug file of @elf, a module's file: by build ID below /usr/lib/debug, or by the
 * name in .gnu_debuglink beside the module's path, in .debug there, or below /usr/lib/debug; there,
 * and below the root of a process that has the module mapped; else in debuginfod's cache; at last,
 * if @elf is a capture of the file, the file itself. Its build ID is always the same.
 * @module: NULL if it is not known. Fills @file; MODULE_FILE_MISSING: there is none.
 */
void module_file_open_debug(const struct module *module, Elf *elf, struct module_file *file);
/* A file that refers to other files, such as debug files. */
struct module_file_place {
	const struct module *module; /* borrowed; NULL: not known */
	char *path; /* on the recorded system, links resolved; owned; NULL: not known */
};

/* @fd: the file; -1: no others are beside it. No memory: as if it were not known. */
void module_file_place_init(struct module_file_place *place, const struct module *module, int fd);
void module_file_place_deinit(struct module_file_place *place);
/*
 * A file with this build ID that the file at @place names (dwz's): what the recording carries, by
 * build ID below /usr/lib/debug, @name relative to the folder of @place, debuginfod's cache; as its
 * module's files are looked for. Fills @file; MODULE_FILE_MISSING: there is none.
 */
void module_file_open_build_id(const struct module_file_place *place,
			       const struct build_id *build_id, const char *name,
			       struct module_file *file);
/*
 * A file without a build ID that the file at @place names: what the recording carries under @key,
 * or @name (NULL: nothing else), relative to the folder of @place. It is the caller's to check that
 * it is the right one. Fills @file likewise.
 */
void module_file_open_named(const struct module_file_place *place, const char *key,
			    const char *name, struct module_file *file);
void module_file_close(struct module_file *file);
const char *module_file_state_text(enum module_file_state state);
/* The state with its reason, for people; static text. */
const char *module_file_problem(const struct module_file *file);

#endif
