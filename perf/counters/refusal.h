/*
 * Why perf_event_open refused, and what would help: sentences for the user. Whether the kernel
 * minds what was asked for, or something in front of it minds everything, is found out by trying.
 */
#ifndef PERF_COUNTERS_REFUSAL_H
#define PERF_COUNTERS_REFUSAL_H

#include "perf/counters/evlist_types.h"
#include "perf/kernel/limits.h"

enum refusal_gate {
	GATE_OPEN,     /* the kernel looks at what is asked for */
	GATE_PARANOID, /* kernel.perf_event_paranoid of 3 or more, as some distributions have it */
	GATE_FILTERED, /* everything is forbidden: seccomp, or a security module */
	GATE_HIDDEN,   /* seccomp, too, answering as if there was no such system call */
	GATE_ABSENT,   /* there is none */
};

/* What was asked for. */
struct refused_event {
	const char *name;
	const struct perf_event_attr *attr;
	enum evlist_target target;
	pid_t pid;
	bool is_probe; /* on a function */
};

/* Calls perf_event_open with what no kernel accepts; how it refuses tells. */
enum refusal_gate refusal_gate_try(const struct evlist_syscalls *syscalls,
				   const struct perf_limits *limits);
/* GATE_OPEN has none; the others' is heap, NULL without memory. */
char *refusal_gate_sentence(enum refusal_gate gate, const struct perf_limits *limits);
/* The kernel forbids this event (EACCES, EPERM), and the gate is open. Heap, NULL without memory.
 */
char *refusal_sentence(const struct refused_event *event, const struct perf_limits *limits);

#endif
