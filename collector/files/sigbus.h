/*
 * Handles mapped files that are truncated while they are read: libelf maps programs and libraries,
 * and their owners may truncate them at any time. A missing page then reads as zeros, which are
 * checked like any input, and is counted; without this the program would be killed.
 */
#ifndef COLLECTOR_FILES_SIGBUS_H
#define COLLECTOR_FILES_SIGBUS_H

/* For the whole process, from now on. */
void sigbus_install(void);
/* Pages replaced by zeros so far. */
unsigned sigbus_n_pages(void);

#endif
