/*
 * Opens files as a live process sees them: by its mappings, or below its root. A malicious process
 * may have created them, so only regular files are opened: no open waits for the other end of a
 * FIFO, or starts an action of a device. Callers that trust the content must also check the owner.
 *
 * @proc is "/proc", except in tests. The functions that open return a descriptor to read from, or
 * -errno; -ENODEV: not a regular file.
 */
#ifndef COLLECTOR_RECORD_LIVE_PROCESS_FILES_H
#define COLLECTOR_RECORD_LIVE_PROCESS_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The file that is mapped at [@start, @end), even if its path leads elsewhere now. */
int process_file_open_mapped(const char *proc, pid_t pid, uint64_t start, uint64_t end);
/*
 * @path below the root of the process. Links in it lead to files below that root, never to one
 * below our own. -ELOOP: @path is a link, and not @follows_links. -ENOSYS: the kernel lacks
 * openat2() (before 5.6). -EAGAIN: renames disturbed the search too often.
 */
int process_file_open(const char *proc, pid_t pid, const char *path, bool follows_links);
/* @path below our own root. -ELOOP: as above. */
int process_file_open_here(const char *path, bool follows_links);
/*
 * The file @name in @folder below @root, where anybody may create files: neither of the two may be
 * a link (-ENOTDIR, -ELOOP), and the file must belong to @uid or to root (-EPERM).
 */
int process_file_open_trusted(const char *root, const char *folder, const char *name, uid_t uid);
/* Whether the file belongs to @uid, or to root. */
bool process_file_is_trusted(int fd, uid_t uid);

/* The user of a process. 0, or -errno: it has exited. */
int process_user(const char *proc, pid_t pid, uid_t *uid_ret);
/* The ID of a thread in its innermost pid namespace, or of a process, with its ID as @tid. Returns
 * @tid where it is not known. */
pid_t process_own_tid(const char *proc, pid_t pid, pid_t tid);

#endif
