#include "report/browse/browse_keys.h"

#include <stddef.h>
#include <string.h>

#define CTRL         BROWSE_KEY_CTRL
#define NAME_COLUMNS 14
#define HELP_COLUMNS 20 /* at least, or lines are cut */

const struct browse_key browse_keys[] = {
	{ .heading = "Moving" },
	{ .keys = { 'j', BROWSE_KEY_DOWN },
	  .action = ACTION_DOWN,
	  .name = "j, Down",
	  .help = "next row" },
	{ .keys = { 'k', BROWSE_KEY_UP },
	  .action = ACTION_UP,
	  .name = "k, Up",
	  .help = "previous row" },
	{ .keys = { BROWSE_KEY_PAGE_DOWN, CTRL('f'), CTRL('d') },
	  .action = ACTION_PAGE_DOWN,
	  .name = "PgDn, Ctrl-F",
	  .help = "a page down" },
	{ .keys = { BROWSE_KEY_PAGE_UP, CTRL('b'), CTRL('u') },
	  .action = ACTION_PAGE_UP,
	  .name = "PgUp, Ctrl-B",
	  .help = "a page up" },
	{ .keys = { 'g', BROWSE_KEY_HOME },
	  .action = ACTION_FIRST,
	  .name = "g, Home",
	  .help = "first row" },
	{ .keys = { 'G', BROWSE_KEY_END },
	  .action = ACTION_LAST,
	  .name = "G, End",
	  .help = "last row" },
	{ .heading = "Unfolding" },
	{ .keys = { 'l', BROWSE_KEY_RIGHT },
	  .action = ACTION_UNFOLD,
	  .name = "l, Right",
	  .help = "unfold the row; if it is unfolded, go to the first row below it" },
	{ .keys = { 'h', BROWSE_KEY_LEFT },
	  .action = ACTION_FOLD,
	  .name = "h, Left",
	  .help = "fold the row; if it is folded, go to the row above it" },
	{ .keys = { BROWSE_KEY_ENTER, '\n', ' ' },
	  .action = ACTION_TOGGLE,
	  .name = "Enter, Space",
	  .help = "unfold or fold the row" },
	{ .keys = { 'p' },
	  .action = ACTION_HOT_PATH,
	  .name = "p",
	  .help = "follow the hot path: to what costs most, as long as it costs half or more" },
	{ .keys = { '*', 'e' },
	  .action = ACTION_UNFOLD_ALL,
	  .name = "*, e",
	  .help = "unfold all rows below that have the share of --min or more" },
	{ .keys = { '-', 'c' },
	  .action = ACTION_FOLD_ALL,
	  .name = "-, c",
	  .help = "fold all rows below" },
	{ .heading = "Views" },
	{ .keys = { BROWSE_KEY_TAB },
	  .action = ACTION_NEXT_VIEW,
	  .name = "Tab",
	  .help = "next view" },
	{ .keys = { BROWSE_KEY_BACK_TAB },
	  .action = ACTION_PREVIOUS_VIEW,
	  .name = "Shift-Tab",
	  .help = "previous view" },
	{ .keys = { '1' },
	  .action = ACTION_TREE,
	  .name = "1",
	  .help = "tree: call paths from the outermost function on" },
	{ .keys = { '2' },
	  .action = ACTION_CALLERS,
	  .name = "2",
	  .help = "callers: each function's own cost, with its callers below it" },
	{ .keys = { '3' }, .action = ACTION_FUNCTIONS, .name = "3", .help = "functions" },
	{ .keys = { '4' }, .action = ACTION_MODULES, .name = "4", .help = "modules" },
	{ .keys = { '5' }, .action = ACTION_LINES, .name = "5", .help = "source lines" },
	{ .keys = { '6' },
	  .action = ACTION_ICICLE,
	  .name = "6",
	  .help = "icicle: the tree, with rows as wide as their costs" },
	{ .keys = { '7' },
	  .action = ACTION_PATHS,
	  .name = "7",
	  .help = "paths from a function, or to it" },
	{ .keys = { '8' },
	  .action = ACTION_PROCESSES,
	  .name = "8",
	  .help = "processes; Enter on one shows its samples alone, as a tree" },
	{ .keys = { '9' }, .action = ACTION_THREADS, .name = "9", .help = "threads, likewise" },
	{ .keys = { '0' },
	  .action = ACTION_CGROUPS,
	  .name = "0",
	  .help = "cgroups, likewise, where samples have theirs" },
	{ .heading = "Code" },
	{ .keys = { 'a' },
	  .action = ACTION_ANNOTATE,
	  .name = "a",
	  .help = "show the function's source lines and instructions, as dendro annotate does" },
	{ .heading = "Icicle" },
	{ .name = "hjkl, arrows", .help = "go to the row on that side; down, to the widest" },
	{ .name = "Enter", .help = "show the row alone, as z does" },
	{ .heading = "Paths" },
	{ .keys = { 'r' },
	  .action = ACTION_PATHS_FROM,
	  .name = "r",
	  .help = "show the paths that begin with the function" },
	{ .keys = { 'R' },
	  .action = ACTION_PATHS_TO,
	  .name = "R",
	  .help = "show the paths that end with the function: its callers" },
	{ .keys = { 'd' },
	  .action = ACTION_TURN_PATHS,
	  .name = "d",
	  .help = "show the paths of the same function in the other direction" },
	{ .heading = "Filters" },
	{ .keys = { 'z' },
	  .action = ACTION_ZOOM,
	  .name = "z",
	  .help = "show what is below the row of the tree alone: a process, or a call; of pages 8 "
		  "to 0, "
		  "the row" },
	{ .keys = { 'f' },
	  .action = ACTION_FOCUS,
	  .name = "f",
	  .help = "show only paths that have the function, or in the modules the module" },
	{ .keys = { 'i' },
	  .action = ACTION_IGNORE,
	  .name = "i",
	  .help = "leave out paths that have the function, or in the modules the module" },
	{ .keys = { 'F' },
	  .action = ACTION_TYPE_FOCUS,
	  .name = "F",
	  .help = "show only paths that have a function that matches a regular expression" },
	{ .keys = { 'I' },
	  .action = ACTION_TYPE_IGNORE,
	  .name = "I",
	  .help = "leave out paths that have a function that matches a regular expression" },
	{ .keys = { 'o' },
	  .action = ACTION_FOCUS_MODULE,
	  .name = "o",
	  .help = "show only paths that have code of the row's module" },
	{ .keys = { 'O' },
	  .action = ACTION_IGNORE_MODULE,
	  .name = "O",
	  .help = "leave out paths that have code of the row's module" },
	{ .keys = { 'K' },
	  .action = ACTION_KERNEL,
	  .name = "K",
	  .help = "kernel functions: merged, none, only" },
	{ .keys = { 'u' }, .action = ACTION_UNDO, .name = "u", .help = "undo the last of these" },
	{ .heading = "Costs" },
	{ .keys = { 's' },
	  .action = ACTION_SORT,
	  .name = "s",
	  .help = "sort by the next column: total, self, name" },
	{ .keys = { 'm' },
	  .action = ACTION_NEXT_METRIC,
	  .name = "m",
	  .help = "show the costs of the next event" },
	{ .keys = { 'M' },
	  .action = ACTION_PREVIOUS_METRIC,
	  .name = "M",
	  .help = "show the costs of the previous event" },
	{ .heading = "Searching" },
	{ .keys = { '/' },
	  .action = ACTION_SEARCH,
	  .name = "/",
	  .help = "search a part of a name, in folded rows, too; Enter keeps the place" },
	{ .keys = { 'n' }, .action = ACTION_NEXT_MATCH, .name = "n", .help = "next match" },
	{ .keys = { 'N' }, .action = ACTION_PREVIOUS_MATCH, .name = "N", .help = "previous match" },
	{ .keys = { BROWSE_KEY_ESCAPE },
	  .action = ACTION_CANCEL,
	  .name = "Esc",
	  .help = "end the search" },
	{ .heading = "While it is recorded (dendro top)" },
	{ .keys = { 'x' },
	  .action = ACTION_FREEZE,
	  .name = "x",
	  .help = "freeze what is shown, while the recording goes on; again: show how it is now" },
	{ .keys = { 'S' },
	  .action = ACTION_SAVE,
	  .name = "S",
	  .help = "store what is shown as a profile, top.cct, top-2.cct and so on" },
	{ .keys = { 'w' },
	  .action = ACTION_RECENT,
	  .name = "w",
	  .help = "show the samples of the last seconds alone (--last); again: since the start" },
	{ .heading = "Mouse" },
	{ .name = "click",
	  .help = "go to the row; on the row under the cursor, what Enter does; on a view or a "
		  "column, show it or sort by it" },
	{ .name = "wheel", .help = "three rows up or down" },
	{ .heading = "Other" },
	{ .keys = { '?' }, .action = ACTION_HELP, .name = "?", .help = "this help" },
	{ .keys = { 'q' }, .action = ACTION_QUIT, .name = "q", .help = "quit" },
	{ 0 },
};

enum browse_action browse_key_find(const struct browse_key *table, uint32_t key)
{
	for (const struct browse_key *row = table; row->heading || row->name; row++) {
		for (size_t i = 0; i < BROWSE_MAX_KEYS && row->keys[i]; i++) {
			if (row->keys[i] == key)
				return row->action;
		}
	}
	return ACTION_NONE;
}

/* How much of a text fits a line: whole words, if they fit. */
static size_t fit_words(const char *text, size_t columns)
{
	size_t size = strlen(text);

	if (size <= columns)
		return size;
	for (size = columns; size && text[size] != ' ';)
		size--;
	return size ? size : columns;
}

/* Leaves in *@index the lines that are after the key's. False: the line is one of the key's. */
static bool skip_key(const struct browse_key *key, uint32_t *index, struct styled_line *line)
{
	const unsigned start = (unsigned)strlen("     ") + NAME_COLUMNS;
	const size_t room =
		line->max_columns > start + HELP_COLUMNS ? line->max_columns - start : HELP_COLUMNS;
	const char *text = key->help;
	size_t size = fit_words(text, room);

	for (bool is_first = true; *text; is_first = false, size = fit_words(text, room)) {
		if (!(*index)--) {
			styled_line_addf(line, "   %-*s  %.*s", NAME_COLUMNS,
					 is_first ? key->name : "", (int)size, text);
			return false;
		}
		text += size;
		text += *text == ' ';
	}
	return true;
}

bool browse_key_help(const struct browse_key *table, uint32_t index, struct styled_line *line)
{
	for (const struct browse_key *key = table; key->heading || key->name; key++) {
		if (!key->heading && !skip_key(key, &index, line))
			return true;
		if (!key->heading || index--)
			continue;
		styled_line_set(line, STYLE_HEADING);
		styled_line_addf(line, " %s", key->heading);
		return true;
	}
	return false;
}
