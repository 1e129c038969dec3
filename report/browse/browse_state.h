/*
 * The state of dendro browse: pages, each a view with its rows, cursor, place on the screen and
 * order, and what part of the profile they show. Knows no terminal.
 */
#ifndef REPORT_BROWSE_BROWSE_STATE_H
#define REPORT_BROWSE_BROWSE_STATE_H

#include "report/browse/browse_rows.h"
#include "report/browse/row_search.h"
#include "report/scope/browse_scope.h"

enum browse_page_kind {
	PAGE_TREE,
	PAGE_CALLERS,
	PAGE_FUNCTIONS,
	PAGE_MODULES,
	PAGE_LINES,
	PAGE_ICICLE,
	PAGE_PATHS,
	PAGE_PROCESSES,
	PAGE_THREADS,
	PAGE_CGROUPS,
	N_BROWSE_PAGES
};

#define BROWSE_MAX_UNDO 100
#define BROWSE_LARGE    100000 /* nodes of the tree; with less, no key takes long */

struct executed_code; /* report/annotate/executed_code.h */

struct browse_options {
	const char *source; /* what is shown, for the title */
	/* It grows, and the source says what the title would. */
	bool is_growing;
	/* It has the last samples alone: a row that is missing now may come again. */
	bool is_recent;
	struct view_options view;             /* of all views; kind and sort do not count */
	struct symbolizer_options symbolizer; /* of the symbolizer that is given beside these */
	double min_percent;                   /* ACTION_UNFOLD_ALL */
	/* How often code was executed, for listings; borrowed. NULL: not known. */
	const struct executed_code *executed;
};

struct browse_page {
	struct fold *fold;       /* that it alone needs; owned, or NULL */
	struct browse_rows rows; /* without a view: it was not looked at so far */
	enum view_sort sort;
	uint32_t top; /* the first line on the screen */
};

/* What the last change can be taken back to. */
struct browse_past {
	struct browse_scope scope;
	enum browse_page_kind page;
};

/* The whole profile in the present scope, and the part of the zoom. */
struct browse_folds {
	struct fold *whole; /* may be that of the base, which owns it */
	struct fold *part;  /* NULL: no zoom */
};

struct browse {
	const struct profile *all;     /* as it was given */
	struct profile *part;          /* of the scope's tasks; owned; NULL: all are shown */
	const struct profile *profile; /* one of these two */
	/* The second is owned; NULL: not needed so far, or the first one finds lines. */
	struct symbolizer *symbolizer, *line_symbolizer;
	struct browse_options options;
	struct refold_base base;
	struct browse_scope scope;
	char *scope_text; /* browse_scope_describe() */
	struct browse_past past[BROWSE_MAX_UNDO];
	uint32_t n_past;
	struct browse_folds folds;
	struct browse_page pages[N_BROWSE_PAGES];
	enum browse_page_kind page;
	uint32_t metric;
	uint32_t page_size; /* lines on the screen */
	struct row_search search;
	/* While a text is typed: the row where the search began, and the rows it has unfolded. */
	struct view_row *search_from;
	struct view_row **revealed;
	uint32_t n_revealed, n_revealed_allocated;
	const char *message;          /* about the last action; "": none */
	struct string_ids names;      /* of scopes, of profiles that were shown before */
	struct browse_memory *memory; /* browse_fetch_memory(); NULL: no thread */
};

/* Takes over nothing. 0 or -errno; browse_state_deinit() follows in any case. */
int browse_state_init(struct browse *browse, const struct profile *profile,
		      struct symbolizer *symbolizer, const struct browse_options *options);
void browse_state_deinit(struct browse *browse);
/*
 * To be called when the first screen is there and no key is pressed: makes what would take the
 * longest in a large profile that has its names, the lines of the whole. 0 or -errno.
 */
int browse_prepare(struct browse *browse);

/* Shows a page, and makes it if necessary. 0 or -errno. */
int browse_show_page(struct browse *browse, enum browse_page_kind kind);
/* Forgets a page, which is made again when it is shown. */
void browse_close_page(struct browse *browse, enum browse_page_kind kind);
/*
 * Takes over @scope. If @changes_fold, all pages are made of another part of the profile; the
 * cursor goes to where it was, as far as that is there. 0, or -errno with everything as before.
 */
int browse_change_scope(struct browse *browse, struct browse_scope *scope, bool changes_fold);

/* Whether there is such a page: of paths only when a function was chosen for it, of cgroups only
 * where samples have theirs. */
bool browse_has_page(const struct browse *browse, enum browse_page_kind kind);
/* Whether its rows are processes, threads or cgroups. */
static inline bool browse_page_has_tasks(enum browse_page_kind kind)
{
	return kind >= PAGE_PROCESSES;
}

/* Finds names with source lines; borrowed. NULL: out of memory. */
struct symbolizer *browse_line_symbolizer(struct browse *browse);

/* Chooses the first line on the screen, so that the cursor is on it. */
void browse_scroll(struct browse *browse, uint32_t page_size);

static inline struct browse_page *browse_page(struct browse *browse)
{
	return &browse->pages[browse->page];
}
static inline const struct browse_rows *browse_rows(const struct browse *browse)
{
	return &browse->pages[browse->page].rows;
}
static inline const struct view *browse_view(const struct browse *browse)
{
	return browse_rows(browse)->growing->view;
}
/* What the pages show, except the pages of lines and of functions: while one of them is shown,
 * there may be no such fold so far. */
static inline struct fold *browse_fold(const struct browse *browse)
{
	return browse->folds.part ? browse->folds.part : browse->folds.whole;
}
/* "tree", ... */
const char *browse_page_name(enum browse_page_kind kind);
/* Of events with samples: how many there are, and the place of the present one, from 1 on. */
uint32_t browse_n_metrics(const struct browse *browse, uint32_t *place_ret);

#endif
