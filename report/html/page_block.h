/*
 * Blocks of data in the page: compressed as DeflateRaw (RFC 1951), and four bytes, the first one
 * the highest, as five digits of base 85, which are a sixteenth shorter than base64. The digits are
 * characters that mean nothing in a document.
 *
 * A block is the text of an element with an id, and of the elements of the type "more" after it. A
 * browser gets a document in parts of 64 KiB, and Chromium copies all of a script's text for each:
 * megabytes in one element take a time that grows with their square.
 */
#ifndef REPORT_HTML_PAGE_BLOCK_H
#define REPORT_HTML_PAGE_BLOCK_H

#include <stddef.h>
#include <stdio.h>

#define PAGE_BLOCK_FIRST    '('        /* 0; the next characters follow it, */
#define PAGE_BLOCK_FOR_LESS '}'        /* but for '<', which would begin a tag */
#define PAGE_BLOCK_DIGITS   (5u << 15) /* of an element at most: whole groups */
#define PAGE_BLOCK_MORE     "</script><script type=more>"

/* 0, -ENOMEM, or -errno of the stream. */
int page_block_write(FILE *out, const void *bytes, size_t size);

#endif
