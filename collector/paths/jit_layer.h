/*
 * The JIT code of one process over time. Each piece of code in a jitdump becomes a mapping of the
 * dump's file, which contains its bytes, from its creation until other code overwrites it.
 *
 * Code that no other code in the dump overwrites is valid from the start, because runtimes write a
 * record only when the code may be running already. Code is placed only over anonymous memory or a
 * memfd. A file that is mapped there ends it. If such memory is mapped again, as when its
 * protection changes, the code stays.
 */
#ifndef COLLECTOR_PATHS_JIT_LAYER_H
#define COLLECTOR_PATHS_JIT_LAYER_H

#include "cct/model/module.h"
#include "collector/attached/jitdump.h"
#include "unwind/rules/address_space.h"

/* The codes of a dump, in the order in which they come. */
struct jit_codes;

/*
 * @module: the module of the dump's file. @is_timed: the dump uses the recording's clock; else the
 *          latest code at an address is valid all the time. NULL: out of memory.
 */
struct jit_codes *jit_codes_create(const struct jitdump *dump, uint32_t module, bool is_timed);
void jit_codes_destroy(struct jit_codes *codes);

struct jit_layer;

/* Adds the code that is valid from the start to *@space. @codes and @modules: borrowed. 0 or
 * -ENOMEM. */
int jit_layer_create(const struct jit_codes *codes, const struct module_table *modules,
		     struct address_space **space, struct jit_layer **layer_ret);
void jit_layer_destroy(struct jit_layer *layer);
/* The layer of a forked process: it keeps the code up to the fork. NULL: out of memory. */
struct jit_layer *jit_layer_fork(const struct jit_layer *layer);
/* Advances to a time of the recording's clock, which never decreases. 0 or -ENOMEM. */
int jit_layer_advance(struct jit_layer *layer, uint64_t time_ns, struct address_space **space);
/* To be called after a mapping was added to *@space. 0 or -ENOMEM. */
int jit_layer_follow(struct jit_layer *layer, uint64_t start, uint64_t end, bool is_file,
		     struct address_space **space);

/* Whether what is mapped by that name is a file, which code made at run time does not change. */
bool jit_layer_is_file(const char *path);

#endif
