/*
 * Landlock (Linux 5.13): a process opens, makes and runs no files from now on, and reaches no TCP
 * port, abstract socket or process outside, as far as the kernel knows these rights.
 */
#ifndef COLLECTOR_SANDBOX_LANDLOCK_H
#define COLLECTOR_SANDBOX_LANDLOCK_H

#include <stdbool.h>

bool landlock_is_here(void);
/* For the calling thread and those that it starts. It can't get new privileges (no_new_privs). 0 or
 * -errno. */
int landlock_enter(void);

#endif
