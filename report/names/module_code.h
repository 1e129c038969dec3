/* The bytes of the function around an offset of a module, from the file that contains them. */
#ifndef REPORT_NAMES_MODULE_CODE_H
#define REPORT_NAMES_MODULE_CODE_H

#include "report/names/module_names.h"

struct module_code {
	bool is_known; /* such a file was found, though it may lack the bytes */
	const uint8_t
		*bytes; /* from @start on; valid until module_names_close(); NULL: not available */
	size_t n_bytes;
	uint16_t machine;    /* EM_X86_64, EM_386 or EM_AARCH64; EM_NONE: another one */
	uint64_t vaddr;      /* of the offset; for the kernel, the recorded address */
	uint64_t start, end; /* of the function; the bytes may end earlier */
};
/* Call this after module_names_locate() for the same offset. */
void module_code_find(struct module_names *names, const struct module *module, uint64_t offset,
		      struct module_code *code_ret);

#endif
