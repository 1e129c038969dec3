/*
 * The bytes of anonymous (JIT) code around one instruction at one moment.
 *
 * Each page was read before the moment and after it. A byte that differs between the two is unknown
 * at the moment: no instruction that contains such a byte is decoded.
 */
#ifndef UNWIND_RULES_CODE_VIEW_H
#define UNWIND_RULES_CODE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_VIEW_PAGE_SIZE 4096u
#define CODE_VIEW_PAGES     2
/* PUSH ES: not in 64-bit code. */
#define CODE_VIEW_NO_INSTRUCTION 0x06

/* Consecutive pages, borrowed: their bytes as read before and after the moment. */
struct code_view {
	uint64_t start; /* address */
	size_t n_pages; /* 0: nothing is known */
	const uint8_t *before[CODE_VIEW_PAGES], *after[CODE_VIEW_PAGES];
};

/* Where a walk finds such code. It is embedded in a struct that knows the process and the moment.
 */
struct code_source {
	/* The code at @addr; n_pages is 0 where nothing is known. */
	void (*find)(const struct code_source *source, uint64_t addr, struct code_view *view_ret);
};

/* A source of few views, each for the addresses in its first page. */
struct code_view_list {
	struct code_source source;
	const struct code_view *views; /* borrowed */
	size_t n_views;
};

void code_view_list_init(struct code_view_list *list, const struct code_view *views,
			 size_t n_views);

/* Copies the bytes at @view->start; unknown bytes are replaced by CODE_VIEW_NO_INSTRUCTION. Returns
 * their number. */
size_t code_view_fill(const struct code_view *view,
		      uint8_t bytes[CODE_VIEW_PAGES * CODE_VIEW_PAGE_SIZE]);
/* The @size bytes at @addr; unknown ones are replaced by CODE_VIEW_NO_INSTRUCTION. false: not all
 * of them are in @view. */
bool code_view_read(const struct code_view *view, uint64_t addr, uint8_t *bytes, size_t size);

#endif
