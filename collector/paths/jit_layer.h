/*
 * Code made at run time, over the memory of one process in the course of time: each piece that a
 * jitdump tells of is a mapping of the dump's file, which holds its bytes, from when it was made
 * until other code takes its place.
 *
 * Code of which nothing else in the dump takes the place is there from the start: runtimes tell of
 * code only when it may be running already. It lies over memory of no file (or of a memfd) only: a
 * file mapped there ends it; but when such memory is mapped anew, as it is when its protection
 * changes, the code stays.
 */
#ifndef COLLECTOR_PATHS_JIT_LAYER_H
#define COLLECTOR_PATHS_JIT_LAYER_H

#include "cct/model/module.h"
#include "collector/attached/jitdump.h"
#include "unwind/rules/address_space.h"

/* The codes of a dump, in the order in which they come. */
struct jit_codes;

/*
 * @module: that of the dump's file. @is_timed: the times of the dump are those of the recording;
 * else the latest code of a place is there all the time. NULL: out of memory.
 */
struct jit_codes *jit_codes_create(const struct jitdump *dump, uint32_t module, bool is_timed);
void jit_codes_destroy(struct jit_codes *codes);

struct jit_layer;

/* Puts what is there from the start into *@space. @codes and @modules: borrowed. 0 or -ENOMEM. */
int jit_layer_create(const struct jit_codes *codes, const struct module_table *modules,
		     struct address_space **space, struct jit_layer **layer_ret);
void jit_layer_destroy(struct jit_layer *layer);
/* That of a forked process: what was there, and no more. NULL: out of memory. */
struct jit_layer *jit_layer_fork(const struct jit_layer *layer);
/* Goes on to a time: of the recording's clock, never back. 0 or -ENOMEM. */
int jit_layer_advance(struct jit_layer *layer, uint64_t time_ns, struct address_space **space);
/* After something was mapped into *@space. 0 or -ENOMEM. */
int jit_layer_follow(struct jit_layer *layer, uint64_t start, uint64_t end, bool is_file,
		     struct address_space **space);

/* Whether what is mapped by that name is a file, which code made at run time does not change. */
bool jit_layer_is_file(const char *path);

#endif
