/* The lines of functions in code, found by debug information and entered into counts. */
#ifndef REPORT_FEEDBACK_CODE_LINES_H
#define REPORT_FEEDBACK_CODE_LINES_H

#include "report/feedback/line_counts.h"

#define CODE_NAME_MAX   65536
#define CODE_LINES_NONE UINT32_MAX

/* How a format names code. */
struct code_naming {
	/* The name of a function from that of its debug information or symbol, into @name of
	 * CODE_NAME_MAX bytes; false: the format cannot have it. */
	bool (*name_of)(const char *symbol, char *name);
	bool has_blocks; /* of one line, by discriminators of LLVM */
};

struct code_lines {
	struct line_counts *counts;       /* borrowed */
	const struct code_naming *naming; /* borrowed */
	char *name;                       /* CODE_NAME_MAX bytes; owned */
};

/* The code of a function of the program. */
struct code_source {
	struct debug_info *debug;
	const char *symbol; /* NULL: none */
	uint64_t start;     /* address in the file */
};

struct found_line {
	uint32_t line;   /* in the counts; CODE_LINES_NONE: it has none */
	uint32_t copies; /* of its block, at least 1 */
	bool is_unnamed; /* for lack of a name */
};

/* 0 or -ENOMEM. */
int code_lines_init(struct code_lines *lines, struct line_counts *counts,
		    const struct code_naming *naming);
void code_lines_deinit(struct code_lines *lines);
/* The line of an instruction. 0 or -ENOMEM. */
int code_lines_find(struct code_lines *lines, const struct code_source *source, uint64_t vaddr,
		    struct found_line *line_ret);
/* Likewise, below @base, the source's function in the counts; LINE_COUNTS_TOP: the one that is not
 * below another one. */
int code_lines_find_in(struct code_lines *lines, const struct code_source *source, uint32_t base,
		       uint64_t vaddr, struct found_line *line_ret);
/* The name of the function at its first byte, in the counts. CODE_LINES_NONE: it has none that the
 * format takes. 0 or -ENOMEM. */
int code_lines_name(struct code_lines *lines, const struct code_source *source, uint32_t *name_ret);
/* Whether it is a part of a function that the compiler has put elsewhere: what is seldom executed,
 * or what a coroutine does when it goes on. Nobody calls the function there. */
bool code_source_is_part(const struct code_source *source);
/* A function was entered so often, unless it is such a part. 0 or -ENOMEM. */
int code_lines_enter(struct code_lines *lines, const struct code_source *source, uint32_t name,
		     uint64_t count);
/* A block of code @code was executed so often: its line's count is at least that. */
void code_lines_raise(struct code_lines *lines, const struct found_line *line, uint32_t code,
		      uint64_t count);

#endif
