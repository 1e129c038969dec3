/*
 * Opens the files of several modules at a time, each in one thread, before names are found one by
 * one: what takes long is expanding their debug information, and its units with the first address
 * in each. Names are the same without.
 */
#ifndef REPORT_NAMES_NAMES_AHEAD_H
#define REPORT_NAMES_NAMES_AHEAD_H

#include "cct/model/profile.h"
#include "report/names/active_functions.h"
#include "report/names/module_names.h"

/*
 * Opens what ELF modules with frames in the profile's tree name them by, those that are not open
 * yet. @names: by module, of all modules of the profile, ready for module_names_locate(); no other
 * thread uses them meanwhile. Returns when all are open. On one processor, or without memory, it
 * does nothing.
 */
void names_ahead_open(const struct profile *profile, struct module_names *names,
		      const struct active_wanted *wanted);

#endif
