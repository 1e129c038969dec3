#include "perf/kinds/branch_filter.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

/* include/uapi/linux/perf_event.h of 6.1; older build machines lack the name. */
#define BRANCH_PRIV_SAVE (1u << 18)

/* tools/perf/util/parse-branch-options.c (6.1) */
static const struct {
	const char *name;
	uint32_t bit;
} names[] = {
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "priv", BRANCH_PRIV_SAVE },
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
};

static uint32_t find(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i].name) == size && memcmp(names[i].name, name, size) == 0)
			return names[i].bit;
	}
	return 0;
}

int branch_filter_parse(const char *text, uint64_t *filter_ret)
{
	uint64_t filter = 0;

	for (;;) {
		size_t size = strcspn(text, ",");
		uint32_t bit = find(text, size);

		if (!bit)
			return -EINVAL;
		filter |= bit;
		if (!text[size])
			break;
		text += size + 1;
	}
	if (!(filter & ~(uint64_t)PERF_SAMPLE_BRANCH_PLM_ALL))
		filter |= PERF_SAMPLE_BRANCH_ANY;
	*filter_ret = filter;
	return 0;
}
