/* Addresses in the running test itself, as frames of a recording would have them. */
#ifndef TESTS_OWN_CODE_H
#define TESTS_OWN_CODE_H

#include <link.h>
#include <stdint.h>

struct own_address {
	uint64_t addr;   /* in the process */
	uint64_t vaddr;  /* of the file */
	uint64_t offset; /* in the file */
};

static inline int own_segment(struct dl_phdr_info *object, size_t size, void *opaque)
{
	struct own_address *code = opaque;

	(void)size;
	code->vaddr = code->addr - object->dlpi_addr;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD && code->vaddr >= segment->p_vaddr &&
		    code->vaddr - segment->p_vaddr < segment->p_filesz)
			code->offset = code->vaddr - segment->p_vaddr + segment->p_offset;
	}
	return 1; /* the first one is the program */
}

static inline struct own_address own_address(const void *code)
{
	struct own_address ret = { .addr = (uint64_t)(uintptr_t)code };

	dl_iterate_phdr(own_segment, &ret);
	return ret;
}

#endif
