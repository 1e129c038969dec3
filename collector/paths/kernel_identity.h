/*
 * Which kernel made a recording, and whether it is the one that runs now. The addresses of its text
 * do not tell: all kernels that are loaded without KASLR begin at the same address.
 */
#ifndef COLLECTOR_PATHS_KERNEL_IDENTITY_H
#define COLLECTOR_PATHS_KERNEL_IDENTITY_H

#include <stdbool.h>

#include "cct/model/build_id.h"
#include "perf/file/data_file.h"

struct kernel_identity {
	struct build_id build_id; /* size 0: not known */
	const char *release;      /* "6.1.0-18-amd64"; NULL: not known */
	const char *hostname;     /* NULL: not known */
};

enum kernel_identity_match {
	KERNEL_IS_SAME,    /* same build, or same release and host */
	KERNEL_IS_OTHER,   /* something recorded contradicts */
	KERNEL_IS_UNKNOWN, /* neither build ID nor release were recorded */
};

/*
 * Build IDs decide if both are known. Else the releases must be equal, and the host names where
 * both are known.
 */
enum kernel_identity_match kernel_identity_match(const struct kernel_identity *recorded,
						 const struct kernel_identity *running);
/* The kernel of @file, as far as it was read; strings are borrowed from @file. */
struct kernel_identity kernel_identity_recorded(const struct data_file *file);
/* Matches the kernel that runs now. */
enum kernel_identity_match kernel_identity_match_running(const struct kernel_identity *recorded);

#endif
