/* One line of /proc/PID/maps. */
#ifndef CCT_TEXT_MAPS_LINE_H
#define CCT_TEXT_MAPS_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct maps_line {
	uint64_t start, end, pgoff, inode;
	uint32_t prot, flags; /* PROT_*, MAP_SHARED or MAP_PRIVATE */
	uint32_t dev_major, dev_minor;
	const char *path; /* in the text that was parsed; empty: none */
};

/* @text: a line without its newline; changed. false: none of the kind. */
bool maps_line_parse(char *text, struct maps_line *ret);
/* The mapping of this process that holds @addr; its path is empty. false: none does. */
bool maps_line_own(uint64_t addr, struct maps_line *ret);

#endif
