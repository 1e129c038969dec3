/*
 * Entry functions: code of run-time systems and of the kernel that starts a process or thread and
 * does nothing else, such as _start or ret_from_fork.
 */
#ifndef REPORT_FINDINGS_ENTRY_ROWS_H
#define REPORT_FINDINGS_ENTRY_ROWS_H

#include <stdbool.h>

#include "report/views/view_rows.h"

/*
 * Whether @row is an entry function. It must be below a process, a thread or another entry
 * function, because code without a name is recognized by its place there.
 */
bool entry_row(const struct view_row *row);

#endif
