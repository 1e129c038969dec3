/*
 * For programs whose stacks are recorded with --deep-stacks: in some virtual machines a debug
 * register's hit arrives as SIGTRAP (perf/kernel/debug_registers.h), which must not end them.
 */
#ifndef TESTS_WORKLOADS_WATCHED_H
#define TESTS_WORKLOADS_WATCHED_H

#include <signal.h>

static void go_on(int signal)
{
	(void)signal;
}

__attribute__((constructor)) static void survive_stray_traps(void)
{
	signal(SIGTRAP, go_on);
}

#endif
