/*
 * The structure of a demangled function name of C++, Rust, Go, D or Java: how many lists of
 * template arguments and parameters are around each byte, and which brackets are part of a name:
 * "operator<", "(anonymous namespace)", "{lambda(int)#1}", "<T as Trait>::f", "(*T).Method".
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

/*
 * Whether the byte is outside all lists and brackets, where spaces and "::" separate parts of the
 * name.
 */
static inline bool name_is_outer(uint8_t mark)
{
	return !(mark & (NAME_LEVEL | NAME_ATOM | NAME_INNER));
}

bool name_is_letter(char c);

#endif
