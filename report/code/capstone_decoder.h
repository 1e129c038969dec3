/*
 * libcapstone, as a library that is loaded late (cct/system/late_library.h): its tables have 77 000
 * addresses to relocate, 20 times as many as dendro has.
 */
#ifndef REPORT_CODE_CAPSTONE_DECODER_H
#define REPORT_CODE_CAPSTONE_DECODER_H

#include <capstone/capstone.h>

#define CAPSTONE_FILE_OF(version) "libcapstone.so." #version
#define CAPSTONE_FILE(version)    CAPSTONE_FILE_OF(version)
/* Of the version that was compiled with. */
#define CAPSTONE_LIBRARY CAPSTONE_FILE(CS_API_MAJOR)

/* EACH(name) for every function of it that dendro uses. */
#define CAPSTONE_FUNCTIONS(EACH) \
	EACH(cs_open)            \
	EACH(cs_close)           \
	EACH(cs_option)          \
	EACH(cs_malloc)          \
	EACH(cs_free)            \
	EACH(cs_disasm_iter)     \
	EACH(cs_insn_group)      \
	EACH(cs_regs_access)

#define CAPSTONE_POINTER(function) __typeof__(function) *function;
struct capstone {
	CAPSTONE_FUNCTIONS(CAPSTONE_POINTER)
};
#undef CAPSTONE_POINTER

/* Decodes with details. */
struct capstone_decoder {
	struct capstone library;
	csh handle;
	cs_insn *instruction;
};

/* 0, or -ELIBACC: it cannot be loaded; *@reason_ret says why, until the thread's next dlerror(). */
int capstone_load(struct capstone *library_ret, const char **reason_ret);
/* 0, -ENOMEM, -ELIBACC, or -ENOTSUP: this libcapstone does not know the architecture. */
int capstone_decoder_open(struct capstone_decoder *decoder, cs_arch arch, cs_mode mode);
/* One that is all zero, too. */
void capstone_decoder_close(struct capstone_decoder *decoder);

#endif
