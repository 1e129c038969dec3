/*
 * Names that were found for profiles before, for a process that makes one after the other: code of
 * the same file has the same names again, and its file need not be opened for them.
 *
 * Only files that are known by their build ID, and were read whole, are remembered. Of one thread.
 */
#ifndef CCT_MODEL_KNOWN_NAMES_H
#define CCT_MODEL_KNOWN_NAMES_H

#include "cct/model/module.h"
#include "cct/model/stored_names.h"

struct known_names;

struct known_names *known_names_create(void); /* NULL: out of memory */
void known_names_destroy(struct known_names *known);
/* The module's number here; 0: it cannot be remembered, or memory is missing. */
uint32_t known_names_number(struct known_names *known, const struct module *module);
/* Adds what is known of the code at an offset to the @names of a profile, in which the module is
 * @module. 1: it is there; 0: it is not known; -ENOMEM. */
int known_names_take(const struct known_names *known, uint32_t number, uint64_t offset,
		     uint32_t module, struct stored_names *names);
/* What is missing for the module. NULL: nothing of that kind was remembered. */
const struct stored_lack *known_names_lack(const struct known_names *known, uint32_t number,
					   uint8_t lack, const char **text_ret);
/* Remembers @code of @names. 0 or -ENOMEM. */
int known_names_keep(struct known_names *known, uint32_t number, const struct stored_names *names,
		     const struct stored_code *code);
/* Likewise something that is missing; its module and text are filled in. */
int known_names_keep_lack(struct known_names *known, uint32_t number,
			  const struct stored_lack *lack, const char *text);

#endif
