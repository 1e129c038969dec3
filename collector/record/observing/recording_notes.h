/*
 * Sentences for the user about a recording, in the order in which they were added: how it differs
 * from the options, what is missing, details of how it is made; and why it fails. Each ends with a
 * full stop. The command prints them.
 */
#ifndef COLLECTOR_RECORD_OBSERVING_RECORDING_NOTES_H
#define COLLECTOR_RECORD_OBSERVING_RECORDING_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording_note {
	char *text;
	bool is_detail; /* only shown with -v */
};

/* An all-zero one is empty. */
struct recording_notes {
	struct recording_note *notes;
	size_t n;
	char *error; /* why the recording fails; NULL: not explained */
};

void recording_notes_deinit(struct recording_notes *notes);
/* Without memory the note is left out. */
__attribute__((format(printf, 3, 4))) void
recording_notes_add(struct recording_notes *notes, bool is_detail, const char *format, ...);
/*
 * "COUNT TEXT", as counted_text() of cct/text/counted_text.h has it: "{file was|files were}
 * ignored.".
 */
void recording_notes_add_counted(struct recording_notes *notes, bool is_detail, uint64_t count,
				 const char *text);
/* Sets the reason why the recording fails, replacing an earlier one. Returns @err. */
__attribute__((format(printf, 3, 4))) int recording_notes_explain(struct recording_notes *notes,
								  int err, const char *format, ...);

#define SIZE_TEXT_MAX 32
/* A number of bytes in a sentence: "900 bytes", "12 KiB", "3.5 MiB". Returns @text. */
const char *recording_notes_size(uint64_t n_bytes, char text[static SIZE_TEXT_MAX]);

#endif
