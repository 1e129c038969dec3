/*
 * Sentences for the user: why perf_event_open refused, and what would help. A test call finds out
 * whether the kernel refuses this request, or whether a filter in front of the kernel refuses every
 * request.
 */
#ifndef PERF_COUNTERS_REFUSAL_H
#define PERF_COUNTERS_REFUSAL_H

#include "perf/counters/evlist_types.h"
#include "perf/kernel/limits.h"

enum refusal_gate {
	GATE_OPEN,     /* the kernel decides by the request */
	GATE_PARANOID, /* kernel.perf_event_paranoid is 3 or more (a patch of some distributions) */
	GATE_FILTERED, /* every request is denied: seccomp, or a security module */
	GATE_HIDDEN,   /* seccomp, too, which answers as if the system call did not exist */
	GATE_ABSENT,   /* the kernel has no performance events */
};

/* The refused request. */
struct refused_event {
	const char *name;
	const struct perf_event_attr *attr;
	enum evlist_target target;
	pid_t pid;
	bool is_probe; /* on a function */
};

/* Calls perf_event_open with an invalid request. The error shows who refuses. */
enum refusal_gate refusal_gate_try(const struct evlist_syscalls *syscalls,
				   const struct perf_limits *limits);
/* The sentence of every gate except GATE_OPEN. Heap; NULL if memory is exhausted. */
char *refusal_gate_sentence(enum refusal_gate gate, const struct perf_limits *limits);
/* For an event that the kernel denies (EACCES, EPERM) while the gate is open. Heap; NULL if memory
 * is exhausted. */
char *refusal_sentence(const struct refused_event *event, const struct perf_limits *limits);

#endif
