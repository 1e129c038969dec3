/*
 * Text for people that is wrapped between words at the width of a terminal. Names in it come from
 * outside, and are escaped as printable_next() does.
 */
#ifndef REPORT_TERMINAL_PARAGRAPH_H
#define REPORT_TERMINAL_PARAGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Text from column @indent on, and where it has got to. @width 0: in one line. */
struct paragraph {
	FILE *out;
	unsigned indent, width, column;
	bool utf8;
};

/* Nothing is written: the caller has filled the line up to @indent. Where @width leaves too little
 * room, lines are not wrapped. */
struct paragraph paragraph_begin(FILE *out, unsigned width, unsigned indent, bool utf8);
/* Adds words, which blanks separate. */
void paragraph_add(struct paragraph *paragraph, const char *text);
/* Writes @size bytes of text as they are wanted on a terminal. Returns the columns; @out NULL: only
 * those. */
unsigned paragraph_put(FILE *out, const char *text, size_t size, bool utf8);

#endif
