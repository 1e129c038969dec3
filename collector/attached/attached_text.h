/* Reads the text of an attachment, which is compressed (zstd). */
#ifndef COLLECTOR_ATTACHED_ATTACHED_TEXT_H
#define COLLECTOR_ATTACHED_ATTACHED_TEXT_H

#include "cct/text/file_text.h"

/* Adds what @fd holds, decompressed, and a NUL that is not part of the size. 0, -EFBIG beyond
 * FILE_TEXT_MAX, -EINVAL: not zstd, or -errno.
 */
int attached_text_decompress(struct file_text *text, int fd);

#endif
