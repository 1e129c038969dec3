/*
 * A case: all that one walk needs, so that it can be repeated anywhere (docs/FORMAT.md, "Unwinding
 * cases"). A folder with a text file `case` and, for each file that was asked, one with its parts.
 */
#ifndef COLLECTOR_DEBUG_UNWIND_UNWIND_CASE_H
#define COLLECTOR_DEBUG_UNWIND_UNWIND_CASE_H

#include "collector/paths/sample_path.h"

/*
 * Writes the case of a sample into @folder, which is made. Text in the stack is blanked where the
 * walk does not need it. 0; -EEXIST: there is such a folder; -ENODATA: the sample has nothing to
 * unwind from; -ENOTSUP: its walk needs what a case can't hold; -errno.
 */
int unwind_case_export(const char *folder, const struct module_table *modules,
		       const struct sample *sample);

#endif
