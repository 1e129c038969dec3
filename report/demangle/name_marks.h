/*
 * The structure of a function's name as people write it, in C++, Rust, Go, D or Java: which bytes
 * lie within how many template arguments and parameter lists, and which brackets are part of a
 * name: "operator<", "(anonymous namespace)", "{lambda(int)#1}", "<T as Trait>::f", "(*T).Method".
 */
#ifndef REPORT_DEMANGLE_NAME_MARKS_H
#define REPORT_DEMANGLE_NAME_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_MARKS_MAX_SIZE 65536 /* of a name that is looked into */

/* A byte's mark. */
#define NAME_LEVEL 0x3f /* how many lists (of arguments or parameters) are around it */
#define NAME_ATOM  0x40 /* of an operator's name or "(anonymous namespace)": no structure */
#define NAME_INNER 0x80 /* within any brackets */

/* Fills @marks for @size bytes. False: brackets do not match, or are too many. */
bool name_marks(const char *name, size_t size, uint8_t *marks);

static inline unsigned name_level(uint8_t mark)
{
	return mark & NAME_LEVEL;
}

/* The byte belongs to no list and no name's own brackets: spaces and "::" separate there. */
static inline bool name_is_outer(uint8_t mark)
{
	return !(mark & (NAME_LEVEL | NAME_ATOM | NAME_INNER));
}

bool name_is_letter(char c);

#endif
