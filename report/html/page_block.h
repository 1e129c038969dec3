/* Blocks of data in the page: compressed as DeflateRaw (RFC 1951), in base64 (RFC 4648). */
#ifndef REPORT_HTML_PAGE_BLOCK_H
#define REPORT_HTML_PAGE_BLOCK_H

#include <stddef.h>
#include <stdio.h>

/* 0, -ENOMEM, or -errno of the stream. */
int page_block_write(FILE *out, const void *bytes, size_t size);

#endif
