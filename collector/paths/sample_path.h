/*
 * One sample's life: registers and stack -> user frames; callchain -> kernel frames; both -> one
 * call path, root first. Belongs to one thread.
 */
#ifndef COLLECTOR_PATHS_SAMPLE_PATH_H
#define COLLECTOR_PATHS_SAMPLE_PATH_H

#include "collector/paths/frame_tree.h"
#include "collector/paths/sample.h"
#include "kernel-merge/kernel_symbols.h"
#include "kernel-merge/wait_reasons.h"
#include "unwind/walk/unwind.h"

#define SAMPLE_PATH_MAX_USER   (1 << 18) /* 8 MiB of the smallest frames */
#define SAMPLE_PATH_MAX_KERNEL 8192      /* more than a record holds */
#define SAMPLE_PATH_MAX        (SAMPLE_PATH_MAX_USER + SAMPLE_PATH_MAX_KERNEL + 8)

/*
 * Where a sample's user code stands, or went into the kernel. @machine: as in struct sample. false:
 * it has none, or the record does not tell.
 */
bool sample_user_pc(const struct record *record, const struct machine *machine, uint64_t *pc_ret);

struct sample_path;

/* A copy that is not full ends at a multiple of it, whatever the size of pages is. */
#define SAMPLE_STACK_PAGE 4096u

/* The stack may go on beyond the copy. @asked: attr.sample_stack_user. */
bool sample_stack_is_full(const struct sample_record *sample, uint32_t asked);

/* Both are borrowed. */
struct sample_path *sample_path_create(struct elf_modules *elf_modules,
				       const struct kernel_symbols *kernel_symbols);
void sample_path_destroy(struct sample_path *sample_path);
/* What tells for what threads waited; borrowed. */
void sample_path_set_wait_reasons(struct sample_path *sample_path,
				  const struct wait_reasons *reasons);
/* Fills sample->path, in time off the CPU without a sample too. Its frames are valid until the next
 * call. */
void sample_path_resolve(struct sample_path *sample_path, struct sample *sample);
/* The frame of any address that the sample contains, at its time: of its process or, in the upper
 * half, of the kernel. */
struct frame sample_frame(const struct sample *sample, const struct kernel_symbols *kernel_symbols,
			  uint64_t addr);
/* The path was cut where the copy of the stack ends. */
bool sample_path_is_cut(const struct call_path *path);
/* Completes the path of the sample that was resolved last, which is cut, with the callers of its
 * last user frame, out to the root. @n_outer: 0: they are not known, and the path stays cut. */
void sample_path_join(struct sample_path *sample_path, struct sample *sample,
		      const struct placed_frame *outer, size_t n_outer);
/* What the user half is unwound from, borrowed from the record. false: no registers, or not of an
 * architecture that is unwound. */
bool sample_user_stack(const struct sample *sample, struct user_stack *stack_ret);

#endif
