/*
 * Symbol names come from files, and mangled names are a small language whose output can grow
 * exponentially by back references: input and output are bounded. libiberty's callback interface
 * keeps all its state on the stack, so leaving it by longjmp() releases everything (but a decoded
 * punycode identifier of Rust, at most 4 bytes for each of the name's).
 */
#include "report/demangle/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "report/demangle/demangle_d.h"

#define MAX_MANGLED   4096 /* bounds the depth of recursion, and so the use of the stack */
#define MAX_DEMANGLED 16384
#define HASH_SIZE     20 /* in legacy names of Rust: 17h, 16 digits, E */

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

static bool demangle_with(demangle_function *demangle, const char *name, int options,
			  struct output *output)
{
	output->size = 0;
	if (setjmp(output->full))
		return false;
	/*
	 * C++ needs no limit of libiberty, which would refuse names of 1 KiB: MAX_MANGLED bounds
	 * the recursion. For Rust the limit is one of depth, needed for back references that refer
	 * to themselves.
	 */
	int limit = demangle == rust_demangle_callback ? 0 : DMGL_NO_RECURSE_LIMIT;
	return demangle(name, options | limit, collect, output) && output->size;
}

/* The end of a legacy name of Rust; NULL: it is not one. */
static const char *legacy_rust_end(const char *name)
{
	const char *end = NULL;

	if (strncmp(name, "_ZN", 3) != 0)
		return NULL;
	for (const char *hash = strstr(name, "17h"); hash; hash = strstr(hash + 1, "17h")) {
		if (strspn(hash + 3, "0123456789abcdef") == 16 && hash[HASH_SIZE - 1] == 'E')
			end = hash + HASH_SIZE;
	}
	return end && (!*end || *end == '.') ? end : NULL;
}

static bool demangle_rust(char *name, struct output *output, const char **suffix_ret)
{
	const char *end =
		strncmp(name, "_R", 2) == 0 ? strchrnul(name, '.') : legacy_rust_end(name);
	char saved;

	if (!end)
		return false;
	/* libiberty drops the text after the hash, or fails because of it. */
	saved = *end;
	name[end - name] = '\0';
	bool done = demangle_with(rust_demangle_callback, name, 0, output);
	name[end - name] = saved;
	*suffix_ret = end;
	return done;
}

/* @suffix_ret: the end of the name that was not demangled. */
static bool demangle_any(char *name, bool parameters, struct output *output,
			 const char **suffix_ret)
{
	*suffix_ret = "";
	if (name[1] == 'D')
		return demangle_d(name, parameters, output->text, sizeof(output->text),
				  &output->size);
	if (demangle_rust(name, output, suffix_ret))
		return true;
	*suffix_ret = "";
	if (parameters &&
	    demangle_with(cplus_demangle_v3_callback, name, DMGL_PARAMS | DMGL_ANSI, output))
		return true;
	/*
	 * Without parameters the name may be short enough, or have only constructs that libiberty
	 * supports.
	 */
	*suffix_ret = strchrnul(name, '.');
	return demangle_with(cplus_demangle_v3_callback, name, 0, output);
}

/* Appends " [clone .llvm.123]" for each word with its numbers, as libiberty does for C++. */
static void add_clones(struct output *output, const char *suffix)
{
	while (*suffix == '.') {
		size_t size = 1 + strcspn(suffix + 1, ".");
		int written;

		while (suffix[size] == '.' && suffix[size + 1] >= '0' && suffix[size + 1] <= '9')
			size += 1 + strcspn(suffix + size + 1, ".");
		written = snprintf(output->text + output->size, sizeof(output->text) - output->size,
				   " [clone %.*s]", (int)size, suffix);
		if (written < 0 || (size_t)written >= sizeof(output->text) - output->size)
			return;
		output->size += (size_t)written;
		suffix += size;
	}
}

static char *demangle(const char *name, bool parameters)
{
	char mangled[MAX_MANGLED];
	size_t size = strcspn(name, "@");
	struct output output;
	const char *suffix;
	char *text;

	if (name[0] != '_' || size >= MAX_MANGLED || strnlen(name, MAX_MANGLED) == MAX_MANGLED)
		return NULL;
	memcpy(mangled, name, size);
	mangled[size] = '\0';
	if (!demangle_any(mangled, parameters, &output, &suffix))
		return NULL;
	if (!parameters)
		return strndup(output.text, output.size);
	add_clones(&output, suffix);
	if (asprintf(&text, "%.*s%s", (int)output.size, output.text, name + size) < 0)
		return NULL;
	return text;
}

char *demangle_symbol(const char *name)
{
	return demangle(name, true);
}

char *demangle_without_parameters(const char *name)
{
	return demangle(name, false);
}
