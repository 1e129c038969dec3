#include "report/demangle/jit_name.h"

#include <string.h>

/* src/logging/log.cc and src/objects/code-kind.cc of V8; Python/perf_trampoline.c of CPython. */
struct form {
	const char *kind;
	const char *tiers; /* characters that may follow the kind */
	char end;          /* after the function's name */
};

static const struct form forms[] = {
	{ "JS:", "*~^+", ' ' },     { "LazyCompile:", "*~^+", ' ' }, { "Function:", "*~^+", ' ' },
	{ "Script:", "*~^+", ' ' }, { "Eval:", "*~^+", ' ' },        { "py::", "", ':' },
};

static const struct form *form_of(const char *name)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strncmp(name, forms[i].kind, strlen(forms[i].kind)) == 0)
			return &forms[i];
	}
	return NULL;
}

static bool is_text(const char *text, size_t size, const char *wanted)
{
	return strlen(wanted) == size && memcmp(text, wanted, size) == 0;
}

static const char *function_in(const struct form *form, const char *name, size_t *size_ret)
{
	const char *function = name + strlen(form->kind);

	if (*function && strchr(form->tiers, *function))
		function++;
	*size_ret = strcspn(function, (char[]){ form->end, '\0' });
	return *size_ret ? function : NULL;
}

const char *jit_name_function(const char *name, size_t *size_ret)
{
	const struct form *form = form_of(name);

	return form ? function_in(form, name, size_ret) : NULL;
}

bool jit_name_is_of(const char *name, const char *wanted)
{
	const struct form *form = form_of(name);
	size_t size, kind_size;
	const char *function = form ? function_in(form, name, &size) : NULL;

	if (!function)
		return false;
	if (is_text(function, size, wanted) ||
	    is_text(name, (size_t)(function - name) + size, wanted))
		return true;
	kind_size = strlen(form->kind);
	return strncmp(wanted, form->kind, kind_size) == 0 &&
	       is_text(function, size, wanted + kind_size);
}
