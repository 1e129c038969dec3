#include "cct/system/late_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

int late_library_open(const char *file, const struct late_function *functions, size_t n,
		      const char **reason_ret)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_NODELETE);

	for (size_t i = 0; library && i < n; i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function) {
			library = NULL;
			break;
		}
		memcpy(functions[i].pointer, &function, sizeof(function));
	}
	if (library)
		return 0;
	*reason_ret = dlerror();
	return -ELIBACC;
}
