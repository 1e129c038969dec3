/*
 * Where to find the files of a recording: in the recording, then on this machine or, if a sysroot
 * is set, only below it. All code that opens a module's file or its debug files uses this unit, so
 * that unwinder, names and archives see the same files. A NULL file_search means this machine.
 *
 * Each file in a recording has a key: "elf" and the module's identity, "debug" and a build ID, ...
 * (docs/FORMAT.md, archives). A recording that is an archive contains all files that existed, so no
 * other place is searched unless a sysroot is set.
 *
 * Threads: any, once it is set up.
 */
#ifndef CCT_OBJECT_FILE_SEARCH_H
#define CCT_OBJECT_FILE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/object/file_identity.h"

#define FILE_SEARCH_KEY_MAX 8192

struct build_id;
struct file_search;

struct file_search *file_search_create(void); /* NULL: out of memory */
void file_search_destroy(struct file_search *search);

/* Paths are looked up below @folder from now on, links inside resolved there. 0 or -errno; -ENOSYS:
 * this kernel can't keep links from leading out. */
int file_search_set_root(struct file_search *search, const char *folder);
/* The folder, open; -1: this machine's root. */
int file_search_root_fd(const struct file_search *search);
/* debuginfod's cache: files by build ID. @folder is copied. 0 or -ENOMEM. */
int file_search_set_cache(struct file_search *search, const char *folder);
/* Likewise, the folder of this user's debuginfod clients, if there is one. */
int file_search_use_own_cache(struct file_search *search);
/* This process may not open files: those of this machine, of the root and of the cache come from
 * the process at the other end of @server_fd (cct/object/file_server.h), which is taken over. */
void file_search_set_server(struct file_search *search, int server_fd);
/* For the server: the file that whoever asks may write. @path is copied. 0 or -ENOMEM. */
int file_search_set_result(struct file_search *search, const char *path);
/* Opens that file to add to it, if @path is its path; it is made if it is missing. A descriptor, or
 * -errno. */
int file_search_open_result(const struct file_search *search, const char *path);
/* When the recording ended, in seconds since 1970; 0: unknown. */
void file_search_set_recorded(struct file_search *search, int64_t recorded);
int64_t file_search_recorded(const struct file_search *search);
/* The recording carries this: @fd (duplicated) holds it, compressed (zstd). 0 or -errno. */
int file_search_carry(struct file_search *search, const char *key, int fd);
/* The next recording begins: nothing is carried. */
void file_search_forget_carried(struct file_search *search);
/* The recording is an archive: it carries all there was. */
void file_search_set_complete(struct file_search *search);
bool file_search_is_complete(const struct file_search *search);
/* Whether other places than the recording are searched. */
bool file_search_looks_around(const struct file_search *search);
/* Whether files of this machine are searched. */
bool file_search_is_here(const struct file_search *search);

/*
 * Opens the recording's file with this key. Returns a separate descriptor at its start, -ENOENT, or
 * another -errno.
 */
int file_search_open_carried(struct file_search *search, const char *key);
/* The file at an absolute path. A descriptor, or -errno. */
int file_search_open(const struct file_search *search, const char *path);
/* @name ("debuginfo", "executable") of a build ID in debuginfod's cache. Likewise. */
int file_search_open_cached(const struct file_search *search, const struct build_id *build_id,
			    const char *name);
/* The path of an open file as it would be opened here, links resolved; to free. NULL: it has none,
 * or out of memory. */
char *file_search_path_of(const struct file_search *search, int fd);
/* The file at @path as a process sees it whose root is @root ("/proc/PID/root"): links do not lead
 * out of it. A descriptor, or -errno. */
int file_search_open_below_root(const struct file_search *search, const char *root,
				const char *path);
/* By which device and inode the kernel's maps call an open file. false: not known. */
bool file_search_identity(const struct file_search *search, int fd, struct file_identity *ret);

/* For the server: the same places. A descriptor that names the file, but does not open it (O_PATH),
 * or -errno. */
int file_search_find(const struct file_search *search, const char *path);
int file_search_find_cached(const struct file_search *search, const struct build_id *build_id,
			    const char *name);
int file_search_find_below_root(const char *root, const char *path);

/*
 * For archives: files that are opened and verified are kept from now on, by key. Files of the
 * recording itself are not kept.
 */
struct found_file {
	char *key;
	int fd; /* -1: @text describes what was found */
	char *text;
};

void file_search_keep_found(struct file_search *search);
bool file_search_keeps_found(const struct file_search *search);
/*
 * Keeps a file: @fd is duplicated; -1: @text is copied. Does nothing before
 * file_search_keep_found().
 */
void file_search_found(struct file_search *search, const char *key, int fd, const char *text);
/* Sorted by key, each key once. Valid until destroyed. -ENOMEM: some could not be kept. */
int file_search_list_found(struct file_search *search, const struct found_file **files_ret,
			   size_t *n_files_ret);

#endif
