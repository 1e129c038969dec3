/*
 * A case: all data that one walk needs, so that it can be repeated anywhere (docs/FORMAT.md,
 * "Unwinding cases"). It is a folder with a text file `case` and, for each file that the walk read,
 * a file with its parts.
 */
#ifndef COLLECTOR_DEBUG_UNWIND_UNWIND_CASE_H
#define COLLECTOR_DEBUG_UNWIND_UNWIND_CASE_H

#include "collector/paths/sample_path.h"

/*
 * Writes the case of a sample into @folder, which is made. Text in the stack is blanked where the
 * walk does not need it. 0; -EEXIST: there is such a folder; -ENODATA: the sample has nothing to
 * unwind from; -ENOTSUP: its walk needs data that a case cannot contain; -errno.
 */
int unwind_case_export(const char *folder, const struct module_table *modules,
		       const struct sample *sample);

#endif
