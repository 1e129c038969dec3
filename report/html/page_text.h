/* The pages without their data, as the Makefile joins them from report/html/page/ and
 * report/html/diff/. */
#ifndef REPORT_HTML_PAGE_TEXT_H
#define REPORT_HTML_PAGE_TEXT_H

#include <stdio.h>

/* report/html/page_bytes.S. The texts are UTF-8. That of a comparison has the marks below, once
 * each and in this order, where the blocks of data belong; that of a profile all but TIMES. */
extern const char page_text[], page_text_end[];
extern const char comparison_text[], comparison_text_end[];

#define PAGE_TOP_PARTS 1500 /* the first picture has what is wider than a pixel of that many */

#define PAGE_MARK_FACTS "@FACTS@"
#define PAGE_MARK_TOP   "@TOP@"
#define PAGE_MARK_TREE  "@TREE@"
#define PAGE_MARK_TIMES "@TIMES@"
#define PAGE_MARK_CODE  "@CODE@"

/* Writes a text from *@at up to the next mark, and moves *@at past it. @mark: one that follows, or
 * NULL for the rest up to @end. */
void page_text_write(FILE *out, const char **at, const char *end, const char *mark);

#endif
