/*
 * Mappings -> modules: adds what the mapping's record does not say. Build IDs that the recorder
 * noted by path, images it captured, and where else the file can be had while its process lives.
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
/* Whether a mapping, of code or not, is of a file; code made at run time may be in others. */
bool module_finder_is_file(const struct record *mmap);
/* The code in the jitdump that is the module of this mapping. *@codes_ret is NULL where it is not
 * to be had. 0 or -ENOMEM. */
int module_finder_jit_codes(struct module_finder *finder, const struct record *mmap,
			    uint32_t module, const struct jit_codes **codes_ret);
/* Gives modules images, and names of code made at run time, from attachments that were read since
 * the last call. */
void module_finder_take_attachments(struct module_finder *finder);
/* The build ID that the recording notes for @path; unchanged where it has none. */
void build_id_from_list(const struct data_file *file, const char *path, struct build_id *build_id);
/* This process's own vdso, that of all on this machine, in memory: a file descriptor, or -1. */
int own_vdso(void);

#endif
