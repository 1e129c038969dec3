/* The look-up tables of an annotation, used while it is built and afterwards. */
#ifndef REPORT_ANNOTATE_ANNOTATE_MAPS_H
#define REPORT_ANNOTATE_ANNOTATE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/base/pair_map.h"
#include "report/code/disassembly.h"

struct hit {
	uint32_t slot;
	bool is_self; /* the frame's cost is self cost of the slot */
};

struct frame_hits {
	uint32_t first, n;
};

struct annotation_maps {
	struct pair_map functions; /* the symbolizer's id -> function */
	struct pair_map lines;     /* (path and line, function) -> slot */
	struct pair_map parts;     /* (path and line, line's slot and inlined function) -> slot */
	struct pair_map addresses; /* (address, function) -> slot */
	struct pair_map codes;     /* (start, module) -> code */
	struct pair_map frames;    /* frame -> frame_hits */
	uint8_t *matches;          /* by the symbolizer's id: 1 + enum function_match; 0: unknown */
	uint32_t n_matches;
	struct hit *hits;
	struct frame_hits *frame_hits;
	uint32_t n_hits, n_frame_hits;
	struct disassembler *disassembler; /* the last one used, and the machine it decodes */
	uint16_t machine;
	int disassembler_err; /* of disassembler_create() */
};

#endif
