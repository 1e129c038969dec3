#include "perf/kinds/pfm/pfm_library.h"

#include <errno.h>

#include "cct/system/late_library.h"

int pfm_library_open(struct pfm_library *library_ret, const char **reason_ret)
{
#define FUNCTION(function) { #function, (void *)&library_ret->function },
	const struct late_function functions[] = { PFM_FUNCTIONS(FUNCTION) };
#undef FUNCTION
	const int err = late_library_open(PFM_LIBRARY, functions,
					  sizeof(functions) / sizeof(functions[0]), reason_ret);

	if (err)
		return err;
	const int pfm_error = library_ret->pfm_initialize();
	if (pfm_error == PFM_SUCCESS)
		return 0;
	*reason_ret = library_ret->pfm_strerror(pfm_error);
	return -ELIBACC;
}
