/*
 * Hot and cold, dense and sparse paths: Ammons, Ball and Larus, Exploiting hardware performance
 * counters with flow and context sensitive profiling (PLDI 1997), section 6.4. A path is hot if it
 * has at least 1 % of all mispredicted branches, or where none is known, of all instructions; a hot
 * path is dense if more of its instructions are mispredicted than of all paths', else sparse.
 */
#ifndef REPORT_BRANCHES_PATH_CLASSES_H
#define REPORT_BRANCHES_PATH_CLASSES_H

#include "report/branches/branch_paths.h"

enum path_class { PATH_DENSE, PATH_SPARSE, PATH_COLD, PATH_PART, N_PATH_CLASSES };

struct path_sums {
	uint64_t n_paths, count, n_instructions, n_mispredicted;
};

struct path_classes {
	struct path_sums all; /* whole paths */
	struct path_sums of[N_PATH_CLASSES];
};

void path_sums_add(struct path_sums *sums, const struct branch_path *path);
/* Of a part of all. */
enum path_class path_sums_class(const struct path_sums *sums, const struct path_sums *all);
void path_classes_init(struct path_classes *classes, const struct branch_paths *paths);
enum path_class path_class_of(const struct path_classes *classes, const struct branch_path *path);
/* "hot, dense", static */
const char *path_class_name(enum path_class class);

#endif
