/*
 * libpfm4, as a library that is loaded late (cct/system/late_library.h): its tables have 41 000
 * addresses to relocate, and only names of events that nothing else knows need it.
 */
#ifndef PERF_KINDS_PFM_PFM_LIBRARY_H
#define PERF_KINDS_PFM_PFM_LIBRARY_H

#include <perfmon/pfmlib_perf_event.h>

#define PFM_LIBRARY "libpfm.so.4"

/* EACH(name) for every function of it that dendro uses. */
#define PFM_FUNCTIONS(EACH)           \
	EACH(pfm_initialize)          \
	EACH(pfm_strerror)            \
	EACH(pfm_get_pmu_info)        \
	EACH(pfm_find_event)          \
	EACH(pfm_get_event_info)      \
	EACH(pfm_get_event_next)      \
	EACH(pfm_get_event_attr_info) \
	EACH(pfm_get_os_event_encoding)

#define PFM_POINTER(function) __typeof__(function) *function;
struct pfm_library {
	PFM_FUNCTIONS(PFM_POINTER)
};
#undef PFM_POINTER

/* Loads and initializes it. 0; or -ELIBACC, and *@reason_ret says why, until the thread's next
 * dlerror(). */
int pfm_library_open(struct pfm_library *library_ret, const char **reason_ret);

#endif
