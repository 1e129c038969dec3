/* Why a walk ends. */
#ifndef UNWIND_RULES_UNWIND_END_H
#define UNWIND_RULES_UNWIND_END_H

#include "cct/model/frame.h"

enum unwind_end {
	UNWIND_ROOT,               /* the outermost frame was reached */
	UNWIND_STACK_CUT,          /* the copy was full and the next frame lies beyond it */
	UNWIND_NO_MODULE,          /* an address outside every mapping */
	UNWIND_NO_UNWIND_INFO,     /* no CFI for the address */
	UNWIND_BAD_RETURN_ADDRESS, /* an address in memory that is not code */
	UNWIND_NO_PROGRESS,        /* the CFA did not move up */
	UNWIND_TOO_DEEP,           /* @max_frames reached */
	UNWIND_BAD_CFI,            /* CFI that can't be read or evaluated */
	UNWIND_BAD_MEMORY,         /* a rule reads outside a copy that was not full */
	UNWIND_MODULE_UNREADABLE,  /* the file is missing or changed, or a damaged ELF file */
	UNWIND_OTHER_FILE,         /* code of a file that is not ELF, without a frame pointer */
	UNWIND_NO_STACK,           /* no stack bytes */
	UNWIND_OTHER_STACK,        /* the callers are on a stack that was left for this one */
	UNWIND_STACK_HOLE,         /* the next frame lies beyond a page that was not in memory */
	N_UNWIND_ENDS
};

/* The end as the marker a path carries; only for ends other than UNWIND_ROOT. */
enum marker unwind_end_marker(enum unwind_end end);

#endif
