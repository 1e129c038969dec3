/*
 * Places in a function as profiles that compilers read name them: by the distance from the
 * function's first line, so that they stay right when code above the function changes, and by the
 * discriminator, which tells apart the blocks of one line.
 *
 * LLVM's discriminators have three parts: the block, how many copies of it there are (unrolled and
 * vectorized loops), and which copy it is. Source: LLVM 14, include/llvm/IR/DebugInfoMetadata.h and
 * lib/IR/DebugInfoMetadata.cpp, DILocation::decodeDiscriminator().
 */
#ifndef REPORT_FEEDBACK_LINE_PLACE_H
#define REPORT_FEEDBACK_LINE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "report/dwarf/debug_info.h"

struct line_place {
	uint32_t offset; /* lines below the function's first one, modulo 2^16 */
	uint32_t block;  /* 0: the first one of the line */
};

/* The block that a discriminator of LLVM names. */
uint32_t discriminator_block(uint32_t discriminator);
/* How many copies there are of code with this discriminator, at least 1. */
uint32_t discriminator_copies(uint32_t discriminator);
/*
 * The place in @function that debug information gives. @is_of_llvm: its discriminators are LLVM's;
 * others do not count. false: the function's first line or the line is not known.
 */
bool line_place_find(const struct debug_function *function, bool is_of_llvm,
		     struct line_place *place_ret);

#endif
