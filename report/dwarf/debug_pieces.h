/*
 * What the evaluation of DWARF's descriptions of objects works with, a frame of a sample, and what
 * it results in: the pieces in which an object lies, whose bits can be read, or the reason why they
 * cannot.
 */
#ifndef REPORT_DWARF_DEBUG_PIECES_H
#define REPORT_DWARF_DEBUG_PIECES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEBUG_PIECES_MAX 32

struct debug_call_sites; /* report/dwarf/debug_call_sites.h */

/* Why a value is not known. */
enum debug_reason {
	DEBUG_KNOWN,
	DEBUG_OPTIMIZED_OUT,   /* the compiler describes no place for it here */
	DEBUG_NOT_INITIALIZED, /* the compiler says that nothing was written to its place yet */
	DEBUG_NO_MEMORY,       /* it is in memory that the sample does not have */
	DEBUG_NO_REGISTER,     /* a register was not recorded, or not saved by the callee */
	DEBUG_NO_ENTRY_VALUE,  /* it had a value when the function was called, which the caller does
				  not tell */
	DEBUG_NO_FRAME,        /* CFI does not describe the frame */
	DEBUG_NOT_STORED,      /* it points to an object that has no place in memory */
	DEBUG_NOT_SUPPORTED,   /* an operation that is not evaluated */
	DEBUG_MALFORMED,       /* an expression that no compiler writes */
	DEBUG_NO_INFORMATION,  /* there is no debug information, or none of the type's members */
	DEBUG_NO_SUCH_PART,    /* the requested member or element does not fit its type */
	N_DEBUG_REASONS,
};

struct debug_frame;

/* The memory and the frames of a sample. */
struct debug_process {
	/* Copies @size bytes. false: the sample, or a file, does not have them. */
	bool (*read)(void *data, uint64_t addr, size_t size, uint8_t *bytes_ret);
	/* The frame that has called @frame; valid as long as @frame. NULL: not known. */
	const struct debug_frame *(*find_caller)(void *data, const struct debug_frame *frame);
	void *data;
};

/* A frame of a sample; all borrowed. */
struct debug_frame {
	const struct debug_process *process;
	const uint64_t *registers; /* by DWARF number */
	uint64_t known;            /* the registers that are known: a bit per number */
	uint64_t cfa;
	bool has_cfa;
	uint64_t bias;       /* from an address in the file to one in the process */
	uint64_t vaddr;      /* of the instruction, in the file; of a caller, in the call */
	uint64_t next_vaddr; /* the pc: of a caller, where the call returns to */
	Dwarf_Die *function; /* the compiled function; NULL: not known */
	/* Of the function's file; NULL: there are no entry values. */
	struct debug_call_sites *call_sites;
};

enum debug_piece_kind {
	DEBUG_IN_MEMORY,   /* at the address @value */
	DEBUG_IN_REGISTER, /* number @value */
	DEBUG_IS_VALUE,    /* @value itself, its low bits first */
	DEBUG_IS_BYTES,    /* @bytes */
	DEBUG_IS_MISSING,  /* for @reason */
};

struct debug_piece {
	enum debug_piece_kind kind;
	enum debug_reason reason;
	uint64_t n_bits; /* 0: the whole object */
	uint64_t bit;    /* where it begins in what the kind says */
	uint64_t value;
	const uint8_t *bytes; /* valid as long as the file */
	size_t n_bytes;
};

/* The pieces of an object, one after the other. */
struct debug_location {
	struct debug_piece pieces[DEBUG_PIECES_MAX];
	size_t n_pieces;
};

/* An object in memory. */
void debug_location_at(struct debug_location *location, uint64_t addr);
/* The address of an object that is in memory as a whole. */
bool debug_location_address(const struct debug_location *location, uint64_t *addr_ret);
/*
 * Copies bits of an object, from bit @bit on, to @bytes_ret, which has (@n_bits + 7) / 8 bytes; the
 * bits that are left over there are 0. Its contents are undefined if not all bits are known.
 * Programs are little-endian.
 */
enum debug_reason debug_location_read(const struct debug_location *location,
				      const struct debug_frame *frame, uint64_t bit,
				      uint64_t n_bits, uint8_t *bytes_ret);
/* "optimized out", ... */
const char *debug_reason_text(enum debug_reason reason);

#endif
