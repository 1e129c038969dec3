/*
 * The keys of dendro browse as one table: what the screen does with a key, the help and the manual
 * page come from it.
 */
#ifndef REPORT_BROWSE_BROWSE_KEYS_H
#define REPORT_BROWSE_BROWSE_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/terminal/styled_line.h"

enum browse_action {
	ACTION_NONE,
	ACTION_DOWN,
	ACTION_UP,
	ACTION_PAGE_DOWN,
	ACTION_PAGE_UP,
	ACTION_FIRST,
	ACTION_LAST,
	ACTION_UNFOLD,
	ACTION_FOLD,
	ACTION_TOGGLE,
	ACTION_HOT_PATH,
	ACTION_UNFOLD_ALL,
	ACTION_FOLD_ALL,
	ACTION_SORT,
	ACTION_SORT_TOTAL, /* by the mouse; these have no key */
	ACTION_SORT_SELF,
	ACTION_SORT_NAME,
	ACTION_NEXT_METRIC,
	ACTION_PREVIOUS_METRIC,
	ACTION_NEXT_VIEW,
	ACTION_PREVIOUS_VIEW,
	ACTION_TREE,
	ACTION_CALLERS,
	ACTION_FUNCTIONS,
	ACTION_MODULES,
	ACTION_LINES,
	ACTION_ICICLE,
	ACTION_PATHS,
	ACTION_PROCESSES,
	ACTION_THREADS,
	ACTION_CGROUPS,
	ACTION_PATHS_FROM,
	ACTION_PATHS_TO,
	ACTION_TURN_PATHS,
	ACTION_FOCUS,
	ACTION_IGNORE,
	ACTION_TYPE_FOCUS,
	ACTION_TYPE_IGNORE,
	ACTION_FOCUS_MODULE,
	ACTION_IGNORE_MODULE,
	ACTION_KERNEL,
	ACTION_ZOOM,
	ACTION_UNDO,
	ACTION_ANNOTATE,
	ACTION_SEARCH,
	ACTION_NEXT_MATCH,
	ACTION_PREVIOUS_MATCH,
	ACTION_CANCEL,
	ACTION_FREEZE,
	ACTION_SAVE,
	ACTION_RECENT,
	ACTION_HELP,
	ACTION_QUIT,
};

/* Keys without a character. */
enum browse_special_key {
	BROWSE_KEY_DOWN = 0x110000, /* no character has this code */
	BROWSE_KEY_UP,
	BROWSE_KEY_LEFT,
	BROWSE_KEY_RIGHT,
	BROWSE_KEY_PAGE_DOWN,
	BROWSE_KEY_PAGE_UP,
	BROWSE_KEY_HOME,
	BROWSE_KEY_END,
	BROWSE_KEY_BACK_TAB,
	BROWSE_KEY_MOUSE, /* an event, which has no action */
};

#define BROWSE_MAX_KEYS    4
#define BROWSE_KEY_CTRL(c) ((c)&0x1f)
#define BROWSE_KEY_ENTER   '\r'
#define BROWSE_KEY_TAB     '\t'
#define BROWSE_KEY_ESCAPE  0x1b

struct browse_key {
	const char *heading;            /* not NULL: of the rows that follow */
	uint32_t keys[BROWSE_MAX_KEYS]; /* characters and special keys; 0: no more */
	enum browse_action action;
	const char *name; /* "j, Down" */
	const char *help;
};

/* Ends with a row of zeros. */
extern const struct browse_key browse_keys[];

/* What a key does by a table like it; ACTION_NONE: nothing. */
enum browse_action browse_key_find(const struct browse_key *table, uint32_t key);
static inline enum browse_action browse_key_action(uint32_t key)
{
	return browse_key_find(browse_keys, key);
}
/* A line of the help that such a table is, wrapped between words. False: there is no such line. */
bool browse_key_help(const struct browse_key *table, uint32_t index, struct styled_line *line);

#endif
