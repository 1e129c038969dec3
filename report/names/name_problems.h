/* Which names and code of a module are missing and why, for the end of a report. */
#ifndef REPORT_NAMES_NAME_PROBLEMS_H
#define REPORT_NAMES_NAME_PROBLEMS_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/model/module.h"

struct module_names;

enum symbol_lack {
	LACKS_NAMES,      /* some of its code has no name */
	LACKS_DEBUG_INFO, /* inlined functions and source lines are not known */
	LACKS_CERTAINTY,  /* its file may be another one than the file that ran */
};

struct symbol_problem {
	uint32_t module;
	enum symbol_lack lack;
	const char *text;         /* valid as long as the profile */
	struct build_id build_id; /* of the file that ran; size 0: unknown */
	bool is_changed;          /* another file is there now: */
	struct build_id found;    /* the build ID of that file; size 0: none */
	int error;                /* -errno of opening the file; 0: it was opened */
};

#define NAME_PROBLEMS_MAX 3 /* of one module */

/* Describes one lack of @module. false: @module does not have it. */
bool name_problems_find(const struct module_names *names, const struct module *module,
			enum symbol_lack lack, struct symbol_problem *problem_ret);
/*
 * Why the bytes of a module's code are not available; static text. @module and @names may be NULL.
 * @has_symbol: a symbol names the code.
 */
const char *name_problems_of_code(const struct module_names *names, const struct module *module,
				  bool has_symbol);

#endif
