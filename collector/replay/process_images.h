/* The images of processes in time: when an exec replaces one, and since when each file is mapped.
 */
#ifndef COLLECTOR_REPLAY_PROCESS_IMAGES_H
#define COLLECTOR_REPLAY_PROCESS_IMAGES_H

#include "collector/replay/ordered_records.h"
#include "collector/replay/processes.h"

/*
 * Whether @thread was in the middle of an exec at a sample. Exec takes the old memory away before
 * its record (COMM) comes, and sets the registers after that. @sample_record: a decoded sample,
 * which was the last record of @records.
 */
bool process_image_is_in_exec(const struct ordered_records *records,
			      const struct record *sample_record, struct thread *thread);
/*
 * Sets module->located.mapped: the times of mappings on the clock of files. A recording ends with
 * the last write to its file. @newest_ns: the time of its last record. @end: that write, in seconds
 * since 1970; 0: not known, and no module gets a time.
 */
void process_images_date(const struct profile *profile, uint64_t newest_ns, int64_t end);

#endif
