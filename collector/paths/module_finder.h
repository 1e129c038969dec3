/*
 * Finds the module of a mapping, and adds information that the mapping's record lacks: build IDs
 * that the recorder noted by path, captured images, and other ways to the file while its process
 * lives.
 */
#ifndef COLLECTOR_PATHS_MODULE_FINDER_H
#define COLLECTOR_PATHS_MODULE_FINDER_H

#include "cct/model/profile.h"
#include "collector/paths/jit_layer.h"
#include "perf/file/data_file.h"
#include "perf/records/record.h"

struct module_finder;

/* @path: of the recording; @profile: for its modules. All are borrowed. */
struct module_finder *module_finder_create(const struct data_file *file, const char *path,
					   struct profile *profile);
void module_finder_destroy(struct module_finder *finder);
/* The module of an executable mapping (MMAP, MMAP2). 0: out of memory. */
uint32_t module_finder_find(struct module_finder *finder, const struct record *mmap);
/* Whether a mapping, of code or data, is of a file; JIT code may be in other mappings. */
bool module_finder_is_file(const struct record *mmap);
/* The code in the jitdump that is the module of this mapping. *@codes_ret is NULL if it is not
 * available. 0 or -ENOMEM. */
int module_finder_jit_codes(struct module_finder *finder, const struct record *mmap,
			    uint32_t module, const struct jit_codes **codes_ret);
/* Adds images and names of JIT code to modules, from attachments that were read since the last
 * call. */
void module_finder_take_attachments(struct module_finder *finder);
/* The build ID that the recording notes for @path; unchanged where it has none. */
void build_id_from_list(const struct data_file *file, const char *path, struct build_id *build_id);
/* A copy in memory of this process's vdso, which all processes of this machine share: a file
 * descriptor, or -1. */
int own_vdso(void);

#endif
