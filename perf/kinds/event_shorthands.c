#include "perf/kinds/event_shorthands.h"

#include <stdlib.h>
#include <string.h>

#include "perf/kinds/tracepoint.h"
#include "perf/kinds/uprobe.h"

#define MAX_PARTS 8

struct shorthand {
	const char *name, *description;
	const char *unit;
	const char *parts[MAX_PARTS];
	/* By part: the number of an argument; a call where it is 0 is not counted, because another
	 * function counts it. */
	uint8_t conditions[MAX_PARTS];
};

/*
 * glibc's realloc(NULL, n) calls malloc through its exported address, which counts it; calloc,
 * posix_memalign and aligned_alloc share what is below malloc instead.
 */
static const struct shorthand shorthands[] = {
	{ .name = "read-bytes",
	  .description = "bytes that read, pread64, readv, preadv and preadv2 returned",
	  .unit = "bytes",
	  .parts = { "syscalls:sys_exit_read/weight=ret/", "syscalls:sys_exit_pread64/weight=ret/",
		     "syscalls:sys_exit_readv/weight=ret/", "syscalls:sys_exit_preadv/weight=ret/",
		     "syscalls:sys_exit_preadv2/weight=ret/" } },
	{ .name = "write-bytes",
	  .description = "bytes that write, pwrite64, writev, pwritev and pwritev2 wrote",
	  .unit = "bytes",
	  .parts = { "syscalls:sys_exit_write/weight=ret/",
		     "syscalls:sys_exit_pwrite64/weight=ret/",
		     "syscalls:sys_exit_writev/weight=ret/",
		     "syscalls:sys_exit_pwritev/weight=ret/",
		     "syscalls:sys_exit_pwritev2/weight=ret/" } },
	{ .name = "syscalls",
	  .description = "system calls",
	  .parts = { "raw_syscalls:sys_enter" } },
	{ .name = "alloc-bytes",
	  .description = "bytes requested from malloc, calloc, realloc, posix_memalign, "
			 "aligned_alloc",
	  .unit = "bytes",
	  .parts = { "uprobe:libc:malloc/weight=arg1/", "uprobe:libc:calloc/weight=arg1*arg2/",
		     "uprobe:libc:realloc/weight=arg2/", "uprobe:libc:posix_memalign/weight=arg3/",
		     "uprobe:libc:aligned_alloc/weight=arg2/" },
	  .conditions = { [2] = 1 } },
};

#define N_SHORTHANDS (sizeof(shorthands) / sizeof(shorthands[0]))

/* @error_ret: why the first part is missing. For a tracepoint, tracefs may be missing. */
static enum event_error find_part(const char *spelling, struct event *event, char **error_ret)
{
	enum event_error error = uprobe_find(spelling, event, error_ret);

	if (error == EVENT_UNKNOWN && !*error_ret)
		error = tracepoint_find(spelling, event, error_ret);
	if (error == EVENT_UNKNOWN && !*error_ret)
		error = tracepoint_explain(spelling, error_ret);
	return error;
}

/* The first part exists on every machine; kernels and C libraries may lack other parts. */
static enum event_error add_parts(const struct shorthand *shorthand, struct event_list *found,
				  char **error_ret)
{
	for (size_t i = 0; i < MAX_PARTS && shorthand->parts[i]; i++) {
		struct event *event = event_list_add(found);
		if (!event)
			return EVENT_NO_MEMORY;
		enum event_error error = find_part(shorthand->parts[i], event, error_ret);
		event->weight.condition = shorthand->conditions[i];
		event->unit = shorthand->unit;
		if (error == EVENT_NO_MEMORY || (error != EVENT_OK && !i))
			return error;
		if (error == EVENT_OK)
			continue;
		event_list_cut(found, found->n_events - 1);
		free(*error_ret);
		*error_ret = NULL;
	}
	return EVENT_OK;
}

static enum event_error find(const struct event_places *places, const char *name,
			     struct event_list *found, char **error_ret)
{
	(void)places;
	for (size_t i = 0; i < N_SHORTHANDS; i++)
		if (strcmp(shorthands[i].name, name) == 0)
			return add_parts(&shorthands[i], found, error_ret);
	return EVENT_UNKNOWN;
}

static void offer_all(const struct event_places *places, struct near_names *near)
{
	(void)places;
	for (size_t i = 0; i < N_SHORTHANDS; i++)
		near_names_offer(near, shorthands[i].name);
}

const struct event_kind shorthand_event_kind = { find, offer_all };

const char *event_shorthand_name(size_t index, const char **description_ret)
{
	if (index >= N_SHORTHANDS)
		return NULL;
	*description_ret = shorthands[index].description;
	return shorthands[index].name;
}
