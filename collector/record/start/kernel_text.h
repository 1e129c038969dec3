/*
 * The text of /proc/kallsyms, which is packed while it is read: a second thread compresses the
 * lines that are there, and the kernel formats the next ones meanwhile.
 */
#ifndef COLLECTOR_RECORD_START_KERNEL_TEXT_H
#define COLLECTOR_RECORD_START_KERNEL_TEXT_H

#include "cct/text/file_text.h"
#include "collector/attached/packer.h"

/*
 * Replaces @text with all of @fd, and a NUL that is not part of the size. @packer, which has begun,
 * gets the permanent lines: all but the last ones, which are of code that comes and goes. Its frame
 * is ended. 0, -EFBIG beyond FILE_TEXT_MAX, or -errno.
 */
int kernel_text_read(struct file_text *text, int fd, struct packer *packer);

#endif
