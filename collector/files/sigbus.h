/*
 * Mapped files that are truncated while they are read: libelf maps programs and libraries, and any
 * user may cut his own at any time. A page that is gone reads as zeros, which are hostile input
 * like any other, and is counted, instead of ending the program.
 */
#ifndef COLLECTOR_FILES_SIGBUS_H
#define COLLECTOR_FILES_SIGBUS_H

/* For the whole process, from now on. */
void sigbus_install(void);
/* Pages replaced by zeros so far. */
unsigned sigbus_n_pages(void);

#endif
