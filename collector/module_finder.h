/*
 * Mappings -> modules: adds what the mapping's record does not say. Build IDs that the recorder
 * noted by path, images it captured, and where else the file can be had while its process lives.
 */
#ifndef COLLECTOR_MODULE_FINDER_H
#define COLLECTOR_MODULE_FINDER_H

#include "cct/module.h"
#include "perf/data_file.h"
#include "perf/record.h"

struct module_finder;

/* Both are borrowed. */
struct module_finder *module_finder_create(const struct data_file *file,
					   struct module_table *modules);
void module_finder_destroy(struct module_finder *finder);
/* The module of an executable mapping (MMAP, MMAP2). 0: out of memory. */
uint32_t module_finder_find(struct module_finder *finder, const struct record *mmap);
/* Gives modules images, and names of code made at run time, from attachments that were read since
 * the last call. */
void module_finder_take_attachments(struct module_finder *finder);
/* This process's own vdso, that of all on this machine, in memory: a file descriptor, or -1. */
int own_vdso(void);

#endif
