#include "perf/events/attr_name.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

static const char *const hardware_names[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};

static const char *const software_names[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

static const char *const cache_names[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
					   "iTLB",      "branch",    "node" };
static const char *const cache_operations[] = { "load", "store", "prefetch" };
static const char *const cache_operations_plural[] = { "loads", "stores", "prefetches" };

struct name_buffer {
	char text[96];
	size_t length;
};

__attribute__((format(printf, 2, 3))) static void append(struct name_buffer *name,
							 const char *format, ...)
{
	__builtin_va_list arguments;
	size_t left = sizeof(name->text) - name->length;

	__builtin_va_start(arguments, format);
	int n = vsnprintf(name->text + name->length, left, format, arguments);
	__builtin_va_end(arguments);
	if (n > 0)
		name->length += (size_t)n < left ? (size_t)n : left - 1;
}

/* The modifiers: privilege levels, precision, host or guest, as in perf_evsel__add_modifiers(). */
static void append_modifiers(struct name_buffer *name, const struct perf_event_attr *attr)
{
	char modifiers[12];
	size_t n = 0;
	bool is_guest_excluded_by_default = false;

	if (attr->exclude_kernel || attr->exclude_user || attr->exclude_hv) {
		if (!attr->exclude_kernel)
			modifiers[n++] = 'k';
		if (!attr->exclude_user)
			modifiers[n++] = 'u';
		if (!attr->exclude_hv)
			modifiers[n++] = 'h';
		is_guest_excluded_by_default = true;
	}
	for (unsigned precise = attr->precise_ip; precise; precise--) {
		modifiers[n++] = 'p';
		is_guest_excluded_by_default = true;
	}
	if (attr->exclude_host || attr->exclude_guest == is_guest_excluded_by_default) {
		if (!attr->exclude_host)
			modifiers[n++] = 'H';
		if (!attr->exclude_guest)
			modifiers[n++] = 'G';
	}
	if (n)
		append(name, ":%.*s", (int)n, modifiers);
}

static void append_cache(struct name_buffer *name, uint64_t config)
{
	size_t cache = config & 0xff;
	size_t operation = config >> 8 & 0xff;
	size_t result = config >> 16 & 0xff;

	if (cache >= N_ELEMENTS(cache_names))
		append(name, "unknown-ext-hardware-cache-type");
	else if (operation >= N_ELEMENTS(cache_operations))
		append(name, "unknown-ext-hardware-cache-op");
	else if (result > PERF_COUNT_HW_CACHE_RESULT_MISS)
		append(name, "unknown-ext-hardware-cache-result");
	else if (result)
		append(name, "%s-%s-misses", cache_names[cache], cache_operations[operation]);
	else
		append(name, "%s-%s", cache_names[cache], cache_operations_plural[operation]);
}

static void append_breakpoint(struct name_buffer *name, const struct perf_event_attr *attr)
{
	append(name, "mem:0x%" PRIx64 ":", (uint64_t)attr->bp_addr);
	if (attr->bp_type & 1) /* HW_BREAKPOINT_R */
		append(name, "r");
	if (attr->bp_type & 2) /* HW_BREAKPOINT_W */
		append(name, "w");
	if (attr->bp_type & 4) /* HW_BREAKPOINT_X */
		append(name, "x");
}

static void append_event(struct name_buffer *name, const struct perf_event_attr *attr)
{
	/* On hybrid machines the upper half of config is the type of the PMU. */
	uint64_t generic = attr->config & UINT32_MAX;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		append(name, "%s",
		       generic < N_ELEMENTS(hardware_names) ? hardware_names[generic]
							    : "unknown-hardware");
		break;
	case PERF_TYPE_SOFTWARE:
		append(name, "%s",
		       attr->config < N_ELEMENTS(software_names) ? software_names[attr->config]
								 : "unknown-software");
		break;
	case PERF_TYPE_HW_CACHE:
		append_cache(name, generic);
		break;
	case PERF_TYPE_BREAKPOINT:
		append_breakpoint(name, attr);
		break;
	default: /* raw */
		append(name, "raw 0x%" PRIx64, (uint64_t)attr->config);
	}
	append_modifiers(name, attr);
}

char *attr_name(const struct perf_event_attr *attr)
{
	struct name_buffer name = { .length = 0 };
	char *copy;

	/* perf adds no modifiers to these. */
	if (attr->type == PERF_TYPE_TRACEPOINT)
		append(&name, "unknown tracepoint");
	else if (attr->type > PERF_TYPE_BREAKPOINT)
		append(&name, "unknown attr type: %u", attr->type);
	else
		append_event(&name, attr);
	return asprintf(&copy, "%s", name.text) < 0 ? NULL : copy;
}
