#include "perf/kinds/breakpoint_event.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/sentence.h"

static const char prefix[] = "mem:";

static bool take_number(const char **text, uint64_t *ret)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	*ret = strtoull(*text, &end, 0);
	*text = end;
	return !errno;
}

static bool is_length(uint64_t length)
{
	return length == HW_BREAKPOINT_LEN_1 || length == HW_BREAKPOINT_LEN_2 ||
	       length == HW_BREAKPOINT_LEN_4 || length == HW_BREAKPOINT_LEN_8;
}

/* Returns 0 if @text is not a valid access. Execution cannot be combined with reads or writes. */
static uint32_t read_access(const char *text)
{
	uint32_t access = 0;

	if (strcmp(text, "x") == 0)
		return HW_BREAKPOINT_X;
	for (; *text; text++) {
		uint32_t bit = *text == 'r' ? HW_BREAKPOINT_R : *text == 'w' ? HW_BREAKPOINT_W : 0;

		if (!bit || access & bit)
			return 0;
		access |= bit;
	}
	return access;
}

static bool read_breakpoint(const char *text, struct perf_event_attr *attr)
{
	uint64_t addr, length = HW_BREAKPOINT_LEN_4;
	uint32_t access = HW_BREAKPOINT_RW;

	if (!take_number(&text, &addr))
		return false;
	bool has_length = *text == '/';
	text += has_length;
	if (has_length && (!take_number(&text, &length) || !is_length(length)))
		return false;
	if (*text && *text != ':')
		return false;
	if (*text)
		access = read_access(text + 1);
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_BREAKPOINT,
		.bp_addr = addr,
		/* The length that the kernel requires for execution. */
		.bp_len = access == HW_BREAKPOINT_X ? sizeof(long) : length,
		.bp_type = access,
	};
	return access && (access != HW_BREAKPOINT_X || !has_length);
}

static enum event_error find(const struct event_places *places, const char *name,
			     struct event_list *found, char **error_ret)
{
	struct perf_event_attr attr;

	(void)places;
	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return EVENT_UNKNOWN;
	if (!read_breakpoint(name + strlen(prefix), &attr))
		return event_fail(EVENT_BAD_MODIFIER, error_ret,
				  sentence("The event '%s' is not a valid breakpoint. Write "
					   "mem:ADDRESS, mem:ADDRESS/LENGTH:rw, with a LENGTH "
					   "of 1, 2, 4 or 8, and r, w or rw; or mem:ADDRESS:x.",
					   name));
	struct event *event = event_list_add(found);
	if (!event)
		return EVENT_NO_MEMORY;
	event->attr = attr;
	event->default_period = 1;
	return EVENT_OK;
}

const struct event_kind breakpoint_event_kind = { find, NULL };
