/* The bytes of a jitdump that some walks requested. */
#ifndef COLLECTOR_DEBUG_UNWIND_DUMP_PARTS_H
#define COLLECTOR_DEBUG_UNWIND_DUMP_PARTS_H

#include <stdio.h>

#include "cct/model/module.h"
#include "unwind/modules/elf_access.h"

/* A file in memory with these bytes in their places, of the module whose image is the dump; @log is
 * sorted by offset. -errno. */
int dump_parts_image(const struct module *module, const struct elf_access_log *log);
/* As docs/FORMAT.md describes them. 0 or -errno. */
int dump_parts_write(FILE *out, const struct module *module, const struct elf_access_log *log);

#endif
