/* The code at an offset of a module, and the function around it, in the file that has its bytes. */
#ifndef REPORT_NAMES_MODULE_CODE_H
#define REPORT_NAMES_MODULE_CODE_H

#include "report/names/module_names.h"

struct module_code {
	bool is_known;        /* there is such a file, though it may lack the bytes */
	const uint8_t *bytes; /* from @start on; valid until module_names_close(); NULL: none */
	size_t n_bytes;
	uint16_t machine;    /* EM_X86_64, EM_386, EM_AARCH64; EM_NONE: none of them */
	uint64_t vaddr;      /* of the offset; the kernel's: where it was when it was recorded */
	uint64_t start, end; /* addresses of the function; all of it may not be there */
};
/* After module_names_locate() of the offset. */
void module_code_find(struct module_names *names, const struct module *module, uint64_t offset,
		      struct module_code *code_ret);

#endif
