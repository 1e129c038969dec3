/*
 * A lock of a whole file that a process holds as long as it writes the file, so that whoever reads
 * it and finds no end knows whether more will come (F_OFD_SETLK: the lock belongs to the open file,
 * and ends with it, however the process ends). Nobody waits for it.
 */
#ifndef PERF_KERNEL_FILE_LOCK_H
#define PERF_KERNEL_FILE_LOCK_H

#include <stdbool.h>

/* Takes the lock of a file that is open for writing; where the file system has no locks, it seems
 * not to be taken. */
void file_lock_take(int fd);
/* Whether another open file of this file, in any process, has the lock. */
bool file_lock_is_taken(int fd);

#endif
