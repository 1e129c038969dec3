/*
 * Processes while they are recorded: code mappings for the unwinder, the bounds of a thread's own
 * stack, and memory. All come from /proc and process_vm_readv(), and only for the few processes
 * whose stacks the recorder reads itself.
 */
#ifndef COLLECTOR_RECORD_LIVE_LIVE_PROCESS_H
#define COLLECTOR_RECORD_LIVE_LIVE_PROCESS_H

#include <sys/types.h>

#include "unwind/modules/elf_modules.h"
#include "unwind/rules/address_space.h"

struct live_processes;

/* @modules: where the mappings' modules are entered, borrowed; NULL: in a table of its own. NULL:
 * out of memory. */
struct live_processes *live_processes_create(struct module_table *modules);
void live_processes_destroy(struct live_processes *processes);
/* The unwind information of the files that the processes have mapped. */
struct elf_modules *live_processes_modules(struct live_processes *processes);

/* The executable mappings of a process, read at the first call and at the first call after
 * live_process_forget(). NULL: they can't be read. Valid until the next call. */
const struct address_space *live_process_space(struct live_processes *processes, pid_t pid);
/* The mappings of the process have changed. */
void live_process_forget(struct live_processes *processes, pid_t pid);

/*
 * The begin and end of the stack around @sp, if the thread has this stack for all its life: the
 * stack of the main thread, or one with the thread's descriptor at its top, as thread libraries
 * make them. A stack that a program switches to might be continued by another thread. 0, -ENOENT
 * (another stack) or -errno.
 */
int live_stack_find(pid_t pid, pid_t tid, uint64_t sp, uint64_t *start_ret, uint64_t *end_ret);
/*
 * The bounds of the mapping around @addr, if it is private, readable and anonymous: reading a
 * missing page of such memory allocates none, and waits for no disk except swap. 0, -ENOENT (other
 * memory, or none) or -errno.
 */
int live_anonymous_find(pid_t pid, uint64_t addr, uint64_t *start_ret, uint64_t *end_ret);
/* Reads a byte of each page of [@start, @end), at most LIVE_TOUCH_MAX bytes of memory, so that they
 * are all mapped. 0 or -errno. */
#define LIVE_TOUCH_MAX (1u << 20)
int live_memory_touch(pid_t pid, uint64_t start, uint64_t end);
/* Reads all @size bytes at @addr. 0 or -errno. */
int live_memory_read(pid_t pid, uint64_t addr, void *to, size_t size);
/* Reads up to the first page that is not there, at most LIVE_TOUCH_MAX bytes. Returns how many. */
size_t live_memory_read_start(pid_t pid, uint64_t addr, void *to, size_t size);

#endif
