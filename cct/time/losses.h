/*
 * When a run is known incompletely: samples were lost, or an event was throttled. Times are those
 * of the run's clock, as its description has them.
 *
 * Memory is bounded: of very many, neighbours of one kind and CPU become one that covers them and
 * what is between them, close ones first, in the order in which they come. So none is
 * left out.
 */
#ifndef CCT_TIME_LOSSES_H
#define CCT_TIME_LOSSES_H

#include <stddef.h>
#include <stdint.h>

#define LOSSES_MAX  4096
#define LOSS_NO_CPU UINT32_MAX

/* The numbers are the format's. */
enum loss_kind {
	LOSS_OF_SAMPLES,    /* between the sample before, of the CPU, and the one after */
	LOSS_BY_THROTTLING, /* the kernel held an event back */
};

struct loss {
	enum loss_kind kind;
	uint32_t cpu;              /* LOSS_NO_CPU: not known, or of several */
	uint64_t start_ns, end_ns; /* end_ns >= start_ns */
	uint64_t n;                /* samples lost; times throttled */
};

/* All zero is an empty list. */
struct losses {
	struct loss *losses; /* owned; at most LOSSES_MAX */
	size_t n;
};

void losses_deinit(struct losses *losses);
/* In any order. 0 or -ENOMEM. */
int losses_add(struct losses *losses, const struct loss *loss);
/* Sorts them by start, end, kind and CPU. */
void losses_sort(struct losses *losses);
/* "lost" or "throttled". */
const char *loss_kind_name(enum loss_kind kind);

#endif
