/* What is missing of a module's names and code, and why: for the end of a report. */
#ifndef REPORT_NAMES_NAME_PROBLEMS_H
#define REPORT_NAMES_NAME_PROBLEMS_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/model/module.h"

struct module_names;

enum symbol_lack {
	LACKS_NAMES,      /* some of its code has no name */
	LACKS_DEBUG_INFO, /* it has no inlined functions and no source lines */
	LACKS_CERTAINTY,  /* its file has no build ID and was written after it was mapped */
};

struct symbol_problem {
	uint32_t module;
	enum symbol_lack lack;
	const char *text;         /* static */
	struct build_id build_id; /* the one that ran; size 0: unknown */
	bool is_changed;          /* there is another file: */
	struct build_id found;    /* its build ID; size 0: it has none */
	int error;                /* -errno of opening the file; 0: it was opened */
};

#define NAME_PROBLEMS_MAX 3 /* of one module */

/* false: @module does not have this lack. */
bool name_problems_find(const struct module_names *names, const struct module *module,
			enum symbol_lack lack, struct symbol_problem *problem_ret);
/* Why there are no bytes of a module's code; static text. @module and @names may be NULL. */
const char *name_problems_of_code(const struct module_names *names, const struct module *module);

#endif
