/*
 * Opens files as a process that lives sees them: by its mappings, or below its root. What is
 * there may have been put there by somebody who means harm, so only regular files are opened: no
 * open waits for a FIFO's other end, or makes a device do something. Who believes what such a file
 * contains must also know whose it is.
 *
 * @proc is "/proc", but in tests. Functions that open return a descriptor to read from, or -errno:
 * -ENODEV: not a regular file.
 */
#ifndef COLLECTOR_RECORD_LIVE_PROCESS_FILES_H
#define COLLECTOR_RECORD_LIVE_PROCESS_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The file that is mapped at [@start, @end), wherever its path leads by now. */
int process_file_open_mapped(const char *proc, pid_t pid, uint64_t start, uint64_t end);
/* @path below the root of the process. -ELOOP: it is a link, and links are not followed. */
int process_file_open(const char *proc, pid_t pid, const char *path, bool follows_links);
/* @path below our own root. The same. */
int process_file_open_here(const char *path, bool follows_links);
/*
 * The file @name in @folder below @root, where anybody may create files: neither of the two may be
 * a link (-ENOTDIR, -ELOOP), and the file must belong to @uid or to root (-EPERM).
 */
int process_file_open_trusted(const char *root, const char *folder, const char *name, uid_t uid);
/* Does it belong to @uid, or to root? */
bool process_file_is_trusted(int fd, uid_t uid);

/* The user of a process. 0 or -errno: it has gone. */
int process_user(const char *proc, pid_t pid, uid_t *uid_ret);
/* A thread's number in its innermost pid namespace; of a process the same with @tid as @pid. @tid
 * where it is not known. */
pid_t process_own_tid(const char *proc, pid_t pid, pid_t tid);

#endif
