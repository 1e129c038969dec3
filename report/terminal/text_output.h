/* The stream that receives text for people, and what that stream can show. */
#ifndef REPORT_TERMINAL_TEXT_OUTPUT_H
#define REPORT_TERMINAL_TEXT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

enum text_style {
	STYLE_PLAIN,
	STYLE_HEADING,
	STYLE_DIM,
	STYLE_PROCESS,
	STYLE_KERNEL,
	STYLE_MARKER,
	STYLE_HOT,
	STYLE_WARM,
	STYLE_WARNING
};

struct text_output {
	FILE *file;
	bool color, utf8;
	unsigned width; /* columns */
};

/* Uses UTF-8 if the locale does. */
void text_output_init(struct text_output *output, FILE *file, bool color, unsigned width);
/* Text written between the two calls has that style, if colours are on. */
void text_style_begin(const struct text_output *output, enum text_style style);
void text_style_end(const struct text_output *output, enum text_style style);

#endif
