#include "collector/record/observing/recording_notes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/sentence.h"
#include "cct/text/counted_text.h"

void recording_notes_deinit(struct recording_notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		free(notes->notes[i].text);
	free(notes->notes);
	free(notes->error);
	*notes = (struct recording_notes){ .n = 0 };
}

void recording_notes_add(struct recording_notes *notes, bool is_detail, const char *format, ...)
{
	va_list args;

	if (array_reserve_one(notes->notes, notes->n))
		return;
	va_start(args, format);
	char *text = sentence_v(format, args);
	va_end(args);
	if (text)
		notes->notes[notes->n++] = (struct recording_note){ text, is_detail };
}

void recording_notes_add_counted(struct recording_notes *notes, bool is_detail, uint64_t count,
				 const char *text)
{
	char words[COUNTED_TEXT_SIZE];

	recording_notes_add(notes, is_detail, "%" PRIu64 " %s", count,
			    counted_text(text, count, words));
}

int recording_notes_explain(struct recording_notes *notes, int err, const char *format, ...)
{
	va_list args;

	free(notes->error);
	va_start(args, format);
	notes->error = sentence_v(format, args);
	va_end(args);
	return err;
}

const char *recording_notes_size(uint64_t n_bytes, char text[static SIZE_TEXT_MAX])
{
	if (n_bytes < 10 << 10)
		snprintf(text, SIZE_TEXT_MAX, "%" PRIu64 " bytes", n_bytes);
	else if (n_bytes < 1 << 20)
		snprintf(text, SIZE_TEXT_MAX, "%.0f KiB", (double)n_bytes / 1024);
	else
		snprintf(text, SIZE_TEXT_MAX, "%.1f MiB", (double)n_bytes / (1 << 20));
	return text;
}
