/*
 * Each list of arguments or parameters is on a level, by the number of lists around it. The lists
 * on the deepest level are folded first, then those on the levels above, until the name fits. The
 * room that is left then is given back to single lists on the last level that was folded.
 */
#include "report/demangle/short_name.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "report/demangle/name_marks.h"

#define MAX_ELLIPSIS 3 /* bytes */

struct fitting {
	const char *name;
	size_t size;
	const uint8_t *marks;
	bool utf8;
	const char *ellipsis;
	unsigned ellipsis_columns;
	/* By level: columns of its text; number of its lists. */
	unsigned columns[NAME_LEVEL + 1], lists[NAME_LEVEL + 1];
	char *out;
	size_t n_out;
};

/* The columns of one character on a terminal. Moves *@at past it. */
static unsigned character_columns(const struct fitting *fitting, size_t *at)
{
	const char *text = fitting->name + *at;
	char bytes[PRINTABLE_MAX];
	unsigned columns = 0;

	printable_next(&text, fitting->utf8, bytes, &columns);
	*at = (size_t)(text - fitting->name);
	return columns;
}

static void measure(struct fitting *fitting)
{
	unsigned level = 0;

	for (size_t at = 0; at < fitting->size;) {
		unsigned now = name_level(fitting->marks[at]);

		if (now > level)
			fitting->lists[now]++;
		level = now;
		fitting->columns[now] += character_columns(fitting, &at);
	}
}

/* The columns of the name if @folded and deeper levels are folded. */
static unsigned folded_columns(const struct fitting *fitting, unsigned folded)
{
	unsigned columns = fitting->lists[folded] * fitting->ellipsis_columns;

	for (unsigned level = 0; level < folded; level++)
		columns += fitting->columns[level];
	return columns;
}

static void put(struct fitting *fitting, const char *bytes, size_t size)
{
	memcpy(fitting->out + fitting->n_out, bytes, size);
	fitting->n_out += size;
}

/*
 * Measures how much of the list at @at fits into @max_columns, with the lists inside folded: all of
 * it, or its first arguments followed by ", …". Returns where that ends, and its columns.
 */
static size_t measure_list(const struct fitting *fitting, size_t at, unsigned folded,
			   unsigned max_columns, unsigned *columns_ret)
{
	unsigned columns = 0, level = folded;
	size_t end = at;

	*columns_ret = fitting->ellipsis_columns;
	while (at < fitting->size && name_level(fitting->marks[at]) >= folded) {
		unsigned now = name_level(fitting->marks[at]);
		unsigned rest = columns + 2 + fitting->ellipsis_columns;

		if (now == folded && fitting->name[at] == ',' && rest <= max_columns) {
			*columns_ret = rest;
			end = at;
		}
		unsigned width = character_columns(fitting, &at);

		if (now == folded)
			columns += width;
		else if (level == folded)
			columns += fitting->ellipsis_columns;
		level = now;
	}
	if (columns <= max_columns) {
		*columns_ret = columns;
		end = at;
	}
	return end;
}

static void put_ellipsis(struct fitting *fitting)
{
	put(fitting, fitting->ellipsis, strlen(fitting->ellipsis));
}

/* Writes the name from @at to @end. Levels deeper than @shown are folded. */
static void put_list(struct fitting *fitting, size_t at, size_t end, unsigned shown)
{
	while (at < end) {
		if (name_level(fitting->marks[at]) == shown) {
			put(fitting, fitting->name + at++, 1);
			continue;
		}
		put_ellipsis(fitting);
		while (at < end && name_level(fitting->marks[at]) > shown)
			at++;
	}
}

/* @spare: columns that lists on the folded level may take beyond their ellipsis. */
static void put_folded(struct fitting *fitting, unsigned folded, unsigned spare)
{
	for (size_t at = 0; at < fitting->size;) {
		unsigned columns, room = fitting->ellipsis_columns + spare;
		size_t start = at, end;

		if (name_level(fitting->marks[at]) < folded) {
			put(fitting, fitting->name + at++, 1);
			continue;
		}
		end = measure_list(fitting, at, folded, room, &columns);
		put_list(fitting, at, end, folded);
		for (at = end; at < fitting->size && name_level(fitting->marks[at]) >= folded; at++)
			;
		if (end > start && at > end)
			put(fitting, ", ", 2);
		if (end == start || at > end)
			put_ellipsis(fitting);
		/*
		 * A list shorter than its ellipsis stays as it is; that must not add to the spare
		 * columns.
		 */
		spare = room - columns < spare ? room - columns : spare;
	}
}

static void finish(struct fitting *fitting)
{
	fitting->out[fitting->n_out] = '\0';
}

/* Whether a part of a path begins at @at: after "::", or after the '/' of a path of Go. */
static bool begins_part(const char *name, const uint8_t *marks, size_t at, bool has_colons)
{
	if (!name_is_outer(marks[at - 1]) || !name[at])
		return false;
	if (has_colons)
		return at > 1 && name[at - 1] == ':' && name[at - 2] == ':';
	return name[at - 1] == '/';
}

/*
 * Drops as many parts at the beginning of a path as needed, but never the last part:
 * "…::Class<…>::method".
 */
static void drop_parts(struct fitting *fitting, unsigned max_columns)
{
	_cleanup_free_ uint8_t *marks = calloc(1, fitting->n_out + 1);
	unsigned all = printable_width(fitting->out, fitting->utf8), columns = all;
	bool has_colons = strstr(fitting->out, "::") != NULL;
	const char *joint = has_colons ? "::" : "/", *text = fitting->out;
	unsigned before = fitting->ellipsis_columns + (unsigned)strlen(joint);
	size_t kept = 0;

	if (columns <= max_columns || !marks || !name_marks(fitting->out, fitting->n_out, marks))
		return;
	while (*text) {
		char bytes[PRINTABLE_MAX];
		unsigned width = 0;

		printable_next(&text, fitting->utf8, bytes, &width);
		columns -= width;
		if (all - columns <= before ||
		    !begins_part(fitting->out, marks, (size_t)(text - fitting->out), has_colons))
			continue;
		kept = (size_t)(text - fitting->out);
		if (columns + before <= max_columns)
			break;
	}
	_cleanup_free_ char *rest = kept ? strdup(fitting->out + kept) : NULL;
	if (rest)
		fitting->n_out =
			(size_t)sprintf(fitting->out, "%s%s%s", fitting->ellipsis, joint, rest);
}

static void fit(struct fitting *fitting, unsigned max_columns)
{
	unsigned folded = NAME_LEVEL, columns;

	measure(fitting);
	while (folded > 1 &&
	       (!fitting->lists[folded] || folded_columns(fitting, folded) > max_columns))
		folded--;
	columns = folded_columns(fitting, folded);
	put_folded(fitting, folded, columns < max_columns ? max_columns - columns : 0);
	finish(fitting);
	if (columns > max_columns)
		drop_parts(fitting, max_columns);
}

static char *fit_marked(const char *name, const uint8_t *marks, unsigned columns, bool utf8)
{
	size_t size = strlen(name);
	struct fitting fitting = {
		.name = name,
		.size = size,
		.marks = marks,
		.utf8 = utf8,
		.ellipsis = utf8 ? "…" : "...",
		.ellipsis_columns = utf8 ? 1 : 3,
		/*
		 * A list has at least one byte, which is replaced by an ellipsis or precedes ",
		 * ...".
		 */
		.out = malloc(size * (1 + MAX_ELLIPSIS) + sizeof("...::")),
	};

	if (fitting.out)
		fit(&fitting, columns);
	return fitting.out;
}

/*
 * Keeps only the last part of paths within brackets, in place: "<Vec<T> as Drop>::drop". Text
 * directly after brackets ("Vec<T>::Item") or before them ("Vec::<T>") stays.
 */
static void drop_inner_paths(char *name, const uint8_t *marks)
{
	size_t size = 0, path = 0;

	for (size_t at = 0; name[at]; at++) {
		bool is_inner = marks[at] & (NAME_INNER | NAME_LEVEL);
		bool is_joint = name[at] == ':' && name[at + 1] == ':';

		if (is_joint && is_inner && at && name_is_letter(name[at - 1]) &&
		    name[at + 2] != '<') {
			size = path;
			at++;
			continue;
		}
		name[size++] = name[at];
		if (!is_inner || strchr(" (<>,&*[]{}:", name[at]))
			path = size;
	}
	name[size] = '\0';
}

/* "[kernel]", and values: "[query = "select max(id)"]". */
static bool is_no_function(const char *name, size_t size)
{
	return size && name[0] == '[' && name[size - 1] == ']';
}

char *short_name_fit(const char *name, unsigned columns, bool utf8)
{
	size_t size = strlen(name);
	char *copy = strdup(name);

	if (!copy || size > NAME_MARKS_MAX_SIZE || is_no_function(name, size) ||
	    printable_width(copy, utf8) <= columns)
		return copy;
	_cleanup_free_ uint8_t *marks = malloc(size + 1);
	if (!marks || !name_marks(copy, size, marks))
		return copy;
	if (*copy == '<')
		drop_inner_paths(copy, marks);
	if (*copy == '<' && !name_marks(copy, strlen(copy), marks))
		return copy;
	char *fitted = fit_marked(copy, marks, columns, utf8);
	free(copy);
	return fitted;
}

bool short_name_is_poor(const char *fitted, unsigned columns, bool utf8)
{
	const char *dropped = utf8 ? "…::" : "...::";

	if (printable_width(fitted, utf8) > columns)
		return true;
	return strncmp(fitted, dropped, strlen(dropped)) == 0 &&
	       !strstr(fitted + strlen(dropped), "::");
}
