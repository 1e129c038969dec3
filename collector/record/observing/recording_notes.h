/*
 * Sentences for the user about a recording, in the order in which they were found: what differs
 * from what the user wanted, what is missing, how it is done; and why it fails. They are printed by
 * the command, not here.
 */
#ifndef COLLECTOR_RECORD_OBSERVING_RECORDING_NOTES_H
#define COLLECTOR_RECORD_OBSERVING_RECORDING_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording_note {
	char *text;
	bool is_detail; /* for users who want to know more (-v) */
};

/* An all-zero one is empty. */
struct recording_notes {
	struct recording_note *notes;
	size_t n;
	char *error; /* why the recording fails; NULL: nobody explained it */
};

void recording_notes_deinit(struct recording_notes *notes);
/* Without memory there is a note less. */
__attribute__((format(printf, 3, 4))) void
recording_notes_add(struct recording_notes *notes, bool is_detail, const char *format, ...);
/* Says why the recording fails, in place of what was said before. Returns @err. */
__attribute__((format(printf, 3, 4))) int recording_notes_explain(struct recording_notes *notes,
								  int err, const char *format, ...);

#define SIZE_TEXT_MAX 32
/* A number of bytes in a sentence: "900 bytes", "12 KiB", "3.5 MiB". Returns @text. */
const char *recording_notes_size(uint64_t n_bytes, char text[static SIZE_TEXT_MAX]);

#endif
