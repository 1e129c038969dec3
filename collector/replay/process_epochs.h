/*
 * What a process loads, and when that begins an epoch (cct/time/epochs.h,
 * docs/decisions/0031-epochs.md). Records alone decide, in their order: samples that a filter
 * leaves out begin epochs, too.
 */
#ifndef COLLECTOR_REPLAY_PROCESS_EPOCHS_H
#define COLLECTOR_REPLAY_PROCESS_EPOCHS_H

#include "cct/model/profile.h"
#include "unwind/rules/address_space.h"

/* Of an image of a process. All zero: it has just begun. */
struct process_epochs {
	struct epoch_list list;  /* until the process is in the profile */
	uint32_t profile_index;  /* plus 1; 0: not in the profile yet */
	uint64_t start_state;    /* the address space's, of which the first epoch was made */
	bool has_run;            /* a sample of its code was met */
	struct file_names added; /* that were mapped since the last epoch began */
	uint64_t added_ns;       /* when the first of them was; if there are any */
};

void process_epochs_deinit(struct process_epochs *epochs);
/* The process has a row of the profile, which gets the epochs. */
void process_epochs_enter(struct process_epochs *epochs, struct profile *profile,
			  uint32_t profile_index);
/* A module is going to be mapped into @space as code. 0 or -ENOMEM. */
int process_epochs_map(struct process_epochs *epochs, const struct profile *profile,
		       const struct address_space *space, uint32_t module, uint64_t time_ns);
/*
 * Notes a sample, in the order of time: it may begin an epoch. @time_ns: 0: it has none. @user_pc:
 * where the process's code was; 0: not known. 0 or -ENOMEM.
 */
int process_epochs_meet_sample(struct process_epochs *epochs, struct profile *profile,
			       const struct address_space *space, uint64_t time_ns,
			       uint64_t user_pc);
/* The epochs so far. */
const struct epoch_list *process_epochs_list(const struct process_epochs *epochs,
					     const struct profile *profile);

#endif
