/*
 * Merges the records of many rings into time order, stable: equal times keep file order.
 *
 * A FINISHED_ROUND record means that every ring was read up to some moment: no later record can
 * precede the newest record of the round before (tools/perf/util/ordered-events.c describes the
 * contract). Memory is bounded: beyond @max_pending_bytes the oldest half is handed out early. A
 * record that comes later with an earlier time is handed out at once and counted as late, never
 * dropped. Records without a time keep their place in the file.
 */
#ifndef PERF_FILE_ORDER_H
#define PERF_FILE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf/file/data_blocks.h"

struct order;

struct order *order_create(size_t max_pending_bytes);
void order_destroy(struct order *order); /* drops the blocks it holds */

/* Takes over the caller's reference to record->block, also when it fails. 0 or -ENOMEM. */
int order_push(struct order *order, const struct raw_record *record, uint64_t time_ns);
void order_finish_round(struct order *order);
/* After the last record: everything may go. */
void order_finish(struct order *order);
/* The next record whose turn it is; its block reference passes to the caller. */
bool order_pop(struct order *order, struct raw_record *record_ret, uint64_t *time_ns_ret);
/* The record that comes @index records after those handed out, as far as is known by now; NULL: no
 * more. Borrowed until the next call of another function. */
const struct raw_record *order_peek(const struct order *order, size_t index);
uint64_t order_n_late(const struct order *order);

#endif
