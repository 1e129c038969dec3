/*
 * The records of a file in the order of time, each decoded once: it is sorted by its time alone,
 * and decoded when it is handed out. Records of code go to their pages at once, for samples that
 * need them may be older, and those of phases to their list; broken records are counted and left
 * out.
 */
#ifndef COLLECTOR_REPLAY_ORDERED_RECORDS_H
#define COLLECTOR_REPLAY_ORDERED_RECORDS_H

#include "cct/model/quality.h"
#include "cct/time/phases.h"
#include "collector/attached/code_pages.h"
#include "perf/file/data_file.h"
#include "perf/file/order.h"

struct ordered_records {
	struct data_file *file;          /* borrowed */
	struct profile_quality *quality; /* borrowed */
	struct phases *phases;           /* borrowed */
	struct order *order;
	struct code_pages *code_pages;
	uint64_t newest_ns; /* of the records handed out */
	bool is_at_end;     /* of the file */
};

/* 0 or -ENOMEM; all zeros can be deinitialized. */
int ordered_records_init(struct ordered_records *records, struct data_file *file,
			 struct profile_quality *quality, struct phases *phases);
void ordered_records_deinit(struct ordered_records *records);
/*
 * 1: the next record, whose block's reference is the caller's, decoded: *record_ret leads into its
 * bytes, and *event_ret is as of data_file_decode(). Of stack and window records only the type is
 * decoded. 0: the end; -ENOMEM.
 */
int ordered_records_next(struct ordered_records *records, struct raw_record *raw_ret,
			 struct record *record_ret, size_t *event_ret);

#endif
