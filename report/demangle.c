/*
 * Symbol names come from files, and mangled names are a small language whose output can grow
 * exponentially by back references: input and output are bounded. libiberty's callback interface
 * keeps all its state on the stack, so leaving it by longjmp() releases everything (but a decoded
 * punycode identifier of Rust, at most 4 bytes for each of the name's).
 */
#include "report/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define MAX_MANGLED   4096 /* what the recursion takes per byte must fit the stack */
#define MAX_DEMANGLED 8192

struct output {
	jmp_buf full;
	size_t size;
	char text[MAX_DEMANGLED];
};

static void collect(const char *text, size_t size, void *opaque)
{
	struct output *output = opaque;

	if (size >= sizeof(output->text) - output->size)
		longjmp(output->full, 1);
	memcpy(output->text + output->size, text, size);
	output->size += size;
}

typedef int demangle_function(const char *mangled, int options, demangle_callbackref callback,
			      void *opaque);

static bool demangle_with(demangle_function *demangle, const char *name, struct output *output)
{
	output->size = 0;
	if (setjmp(output->full))
		return false;
	/*
	 * The length is limited above; libiberty's own limit would refuse C++ names of 1 KiB. In
	 * Rust's it is a limit of depth, which a back reference to itself needs.
	 */
	int limit = demangle == rust_demangle_callback ? 0 : DMGL_NO_RECURSE_LIMIT;
	return demangle(name, limit, collect, output) && output->size;
}

char *demangle_symbol(const char *name)
{
	struct output output;

	if (name[0] != '_' || strnlen(name, MAX_MANGLED) == MAX_MANGLED)
		return NULL;
	if (!demangle_with(rust_demangle_callback, name, &output) &&
	    !demangle_with(cplus_demangle_v3_callback, name, &output))
		return NULL;
	return strndup(output.text, output.size);
}
