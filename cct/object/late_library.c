#include "cct/object/late_library.h"

#include <dlfcn.h>
#include <string.h>

bool late_library_open(const char *name, const struct late_function *functions, size_t n)
{
	void *handle = dlopen(name, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);

	for (size_t i = 0; handle && i < n; i++) {
		void *found = dlsym(handle, functions[i].name);

		if (!found)
			return false;
		memcpy(functions[i].pointer, &found, sizeof(found));
	}
	return handle;
}
