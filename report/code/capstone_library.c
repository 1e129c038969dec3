#include "report/code/capstone_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* The library's name has the version of its interface. */
#define TEXT_OF(number)        #number
#define NAME_OF_VERSION(major) "libcapstone.so." TEXT_OF(major)

int capstone_library_open(struct capstone_library *library)
{
	const struct {
		const char *name;
		void *function;
	} functions[] = {
		{ "cs_open", &library->open },     { "cs_close", &library->close },
		{ "cs_option", &library->option }, { "cs_malloc", &library->malloc },
		{ "cs_free", &library->free },     { "cs_disasm_iter", &library->disasm_iter },
	};

	library->handle = dlopen(NAME_OF_VERSION(CS_API_MAJOR), RTLD_NOW | RTLD_NODELETE);
	for (size_t i = 0; library->handle && i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = dlsym(library->handle, functions[i].name);

		if (!found)
			capstone_library_close(library);
		else
			memcpy(functions[i].function, &found, sizeof(found));
	}
	return library->handle ? 0 : -ELIBACC;
}

void capstone_library_close(struct capstone_library *library)
{
	if (library->handle)
		dlclose(library->handle);
	library->handle = NULL;
}
