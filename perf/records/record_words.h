/*
 * The fields of one word each that samples begin with and other records end with (struct sample_id
 * of the ABI). Both have them in one order, except for IDENTIFIER: it is the first word of a sample
 * and the last of other records, so that it is found before the layout is known.
 */
#ifndef PERF_RECORDS_RECORD_WORDS_H
#define PERF_RECORDS_RECORD_WORDS_H

#include "perf/records/record_cursor.h"
#include "perf/records/record_fields.h"

/* Bits of sample_type that have a word at the start of a sample. */
#define RECORD_HEAD_BITS                                                                           \
	((uint64_t)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		    PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
		    PERF_SAMPLE_PERIOD))
/* Bits that have a word at the end of other records, where sample_id_all is set. */
#define RECORD_TRAILER_BITS                                                                       \
	((uint64_t)(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
		    PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER))

/* Takes the words off the cursor's start into @ret. false: the record is too small. */
bool record_words_take_head(struct record_cursor *cursor, uint64_t sample_type, struct record *ret);
/* Takes the words off the cursor's end. */
bool record_words_take_trailer(struct record_cursor *cursor, uint64_t sample_type,
			       struct record *ret);
/* The number of words between the id and the start of a sample, or the end of another record.
 * false: records of this type have no id. */
bool record_words_find_id(uint64_t sample_type, bool is_sample, size_t *position_ret);
/* The same for the time. */
bool record_words_find_time(uint64_t sample_type, bool is_sample, size_t *position_ret);
/*
 * The size of a record without what follows the words at its end. @header has header->size bytes;
 * @sample_type and @sample_id_all: of its counter.
 *
 * Only records of kernel symbols, BPF programs and changed code may be larger than that: kernels
 * (up to 6.18 at least) hand one such record to all counters that want it, of all recorders of the
 * machine, and each time its size grows by that of the words (perf_event_ksymbol_output(),
 * perf_event_bpf_output(), perf_event_text_poke_output() in kernel/events/core.c). The words follow
 * the fields all the same; after them is what the ring had there before.
 */
size_t record_written_size(uint64_t sample_type, bool sample_id_all,
			   const struct perf_event_header *header);

#endif
