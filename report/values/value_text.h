/*
 * Values of variables as text, by their types in the debug information: 5, 'x', RED, 0x401000
 * <main>, "text", {x = 1, y = <optimized out>}. Texts are at most VALUE_TEXT_MAX bytes long and end
 * in "..." where they are cut. Types come from files: depths and numbers of members are bounded.
 */
#ifndef REPORT_VALUES_VALUE_TEXT_H
#define REPORT_VALUES_VALUE_TEXT_H

#include "report/dwarf/debug_pieces.h"

#define VALUE_TEXT_MAX 160

/* The object whose value is printed; all borrowed. */
struct value_object {
	const struct debug_frame *frame;
	const struct debug_location *location;
	/* Writes the name of the function that begins at an address, or nothing. May be NULL. */
	void (*name_function)(void *data, uint64_t addr, char *name, size_t size);
	void *data;
};

struct value_text {
	char text[VALUE_TEXT_MAX + 1];
	size_t n;
	unsigned n_types; /* of parts, that were looked at; bounded */
	bool is_number;   /* an integer, or a floating-point number: */
	double number;
};

/*
 * Writes the value of a part of an object, of type @type, from its bit @bit on; of a bit-field,
 * @n_bits of them, else 0. Where only parts of it are known, their text says so. A reason: nothing
 * of it is known.
 */
enum debug_reason value_text_write(struct value_text *value, const struct value_object *object,
				   Dwarf_Die *type, uint64_t bit, uint64_t n_bits);

#endif
