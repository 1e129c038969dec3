/*
 * A part of a profile as a profile: the samples of one process, one thread or one cgroup. Unlike
 * cct/model/profile_filter.h it leaves the profile as it is.
 */
#ifndef CCT_PATHS_PROFILE_PART_H
#define CCT_PATHS_PROFILE_PART_H

#include "cct/model/profile.h"

/* All zero: every sample. Names are borrowed; one that is NULL does not matter, as its number. */
struct task_choice {
	const char *process, *thread, *cgroup;
	int32_t pid, tid;
};

bool task_choice_is_all(const struct task_choice *choice);
bool task_choice_equal(const struct task_choice *a, const struct task_choice *b);

/*
 * @choice of a cgroup needs ->rows of @profile, of a thread its tree by thread. *@part_ret borrows
 * all from @profile but for its tree, rows, and the costs of its metrics; its quality means
 * nothing. The caller frees it with profile_part_destroy(). 0; -ENOENT: it has no sample; or
 * -ENOMEM.
 */
int profile_part_create(const struct profile *profile, const struct task_choice *choice,
			struct profile **part_ret);
/* NULL is fine. */
void profile_part_destroy(struct profile *part);

#endif
