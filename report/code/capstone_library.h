/*
 * libcapstone, loaded when code is disassembled for the first time: it has 77 000 addresses to be
 * relocated, which every start of the program would wait for (1.7 ms, 3 MiB), and few need it.
 *
 * Any thread; each has its own.
 */
#ifndef REPORT_CODE_CAPSTONE_LIBRARY_H
#define REPORT_CODE_CAPSTONE_LIBRARY_H

#include <capstone/capstone.h>

/* Functions as in capstone.h. All zero: it is not open. */
struct capstone_library {
	void *handle;
	__typeof__(&cs_open) open;
	__typeof__(&cs_close) close;
	__typeof__(&cs_option) option;
	__typeof__(&cs_malloc) malloc;
	__typeof__(&cs_free) free;
	__typeof__(&cs_disasm_iter) disasm_iter;
};

/* 0, or -ELIBACC: it is not installed, or another version than the program was built for. */
int capstone_library_open(struct capstone_library *library);
/* It stays in memory, so that opening it again is cheap. */
void capstone_library_close(struct capstone_library *library);

#endif
