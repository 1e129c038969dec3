/* The exported symbols of a library in the memory of a process, which may be malicious. */
#ifndef COLLECTOR_RECORD_LIVE_IMAGE_SYMBOL_H
#define COLLECTOR_RECORD_LIVE_IMAGE_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory to read from: a process's, or a test's. */
struct process_memory {
	/* Reads all @size bytes at @addr. 0 or -errno. */
	int (*read)(const struct process_memory *memory, uint64_t addr, void *to, size_t size);
};

/* What the dynamic linker uses of a library, all addresses. */
struct image_symbols {
	uint64_t image;
	uint64_t symbols, strings, hash; /* .dynsym, .dynstr, .gnu.hash */
};

/* Of the 64-bit ELF image that is loaded at @image. 0; -ENOENT: there is none, or it lacks a
 * table; -errno: not readable. */
int image_symbols_find(const struct process_memory *memory, uint64_t image,
		       struct image_symbols *symbols_ret);
/* The address of a symbol. 0; -ENOENT; -errno: not readable. */
int image_symbol_find(const struct process_memory *memory, const struct image_symbols *symbols,
		      const char *name, uint64_t *addr_ret);
/* Reads a string of less than @size bytes. 0; -ENOENT: it is longer; -errno: not readable. */
int process_memory_text(const struct process_memory *memory, uint64_t addr, char *to, size_t size);

#endif
