/* By which device and inode the kernel's maps call a file. */
#ifndef CCT_OBJECT_FILE_IDENTITY_H
#define CCT_OBJECT_FILE_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

/* As a line in /proc/PID/maps has it. */
struct file_identity {
	uint32_t dev_major, dev_minor;
	uint64_t inode;
};

/*
 * Device and inode as the kernel reports them for mappings. On btrfs and overlayfs stat() names
 * another device than MMAP2 records do, so the file is mapped and looked up like a recorder would.
 * false: it cannot be mapped.
 */
bool file_identity_as_mapped(int fd, struct file_identity *ret);

#endif
