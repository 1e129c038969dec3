/*
 * Go's moduledata (src/runtime/symtab.go), through which a program finds its tables. It begins with
 * the address of .gopclntab, by which it is found in files without symbols. In position-independent
 * programs its words are filled in by relocations, which are applied here.
 */
#ifndef CCT_OBJECT_GO_GO_MODULE_DATA_H
#define CCT_OBJECT_GO_GO_MODULE_DATA_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Indices of words. They are the same in all versions from Go 1.18 on, unless the name contains a
 * version.
 */
enum {
	GO_MODULE_PCLNTAB,
	GO_MODULE_FUNCTIONS = 16, /* a slice: start, length, capacity */
	GO_MODULE_N_FUNCTIONS,    /* including one entry for the end */
	GO_MODULE_TEXT = 22,
	GO_MODULE_INLINED_1_18 = 38, /* go:func.* */
	GO_MODULE_INLINED_1_20 = 40,
	GO_MODULE_WORDS,
};

/* The limit for the file ranges that were read: words and relocations. */
#define GO_MODULE_RANGES_MAX 64

struct go_module_data {
	uint64_t words[GO_MODULE_WORDS];
	struct {
		uint64_t offset, size; /* in the file */
	} ranges[GO_MODULE_RANGES_MAX];
	size_t n_ranges;
};

/* Values that the moduledata must contain. */
struct go_module_key {
	uint64_t pclntab, functions; /* virtual addresses */
	uint64_t n_functions;
	unsigned pointer_size;
};

bool go_module_data_find(Elf *elf, const struct go_module_key *key,
			 struct go_module_data *data_ret);
/* The file's bytes from @vaddr to the end of its section. NULL: none. */
const uint8_t *go_bytes_at(Elf *elf, uint64_t vaddr, uint64_t *size_ret);

#endif
