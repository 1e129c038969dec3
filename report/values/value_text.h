/*
 * Values of variables as text, by their types in the debug information: 5, 'x', RED, 0x401000
 * <main>, 0x404010 <table+0x10>, "text", {x = 1, y = <optimized out>}. Texts are at most
 * VALUE_TEXT_MAX bytes long and end in "..." where they are cut. Types come from files: depths and
 * numbers of members are bounded.
 */
#ifndef REPORT_VALUES_VALUE_TEXT_H
#define REPORT_VALUES_VALUE_TEXT_H

#include "report/dwarf/debug_pieces.h"

#define VALUE_TEXT_MAX   160
#define VALUE_STRING_MAX 40 /* characters of a string that are read */

/* The object whose value is printed; all borrowed. */
struct value_object {
	const struct debug_frame *frame;
	const struct debug_location *location;
	/* Writes the name of the function that begins at an address, or nothing. May be NULL. */
	void (*name_function)(void *data, uint64_t addr, char *name, size_t size);
	/* Likewise, of the variable that lies there: "table", "table+0x10". */
	void (*name_data)(void *data, uint64_t addr, char *name, size_t size);
	void *data;
};

/* What a value can be compared with; what a reference leads to counts as the value itself. */
enum value_scalar {
	SCALAR_NONE, /* it is a struct, an array, or the like */
	SCALAR_SIGNED,
	SCALAR_UNSIGNED, /* pointers, too */
	SCALAR_FLOAT,
};

/* The text that a value has, or leads to. */
enum value_string {
	STRING_NONE,
	STRING_WHOLE,
	STRING_LONGER, /* than VALUE_STRING_MAX: its beginning */
	STRING_UNREAD, /* the beginning, or nothing: the rest is in memory that the sample does not
			  have */
};

struct value_text {
	char text[VALUE_TEXT_MAX + 1];
	size_t n;
	unsigned n_types; /* of parts, that were looked at; bounded */
	bool is_number;   /* an integer, or a floating-point number: */
	double number;    /* also of SCALAR_FLOAT */
	enum value_scalar scalar;
	uint64_t word; /* of other scalars: extended to 64 bits */
	enum value_string string;
	size_t string_at, n_string; /* in ->text: the bytes between the quotes */
};

/*
 * Writes the value of a part of an object, of type @type, from its bit @bit on; of a bit-field,
 * @n_bits of them, else 0. Where only parts of it are known, their text says so. A reason: nothing
 * of it is known.
 */
enum debug_reason value_text_write(struct value_text *value, const struct value_object *object,
				   Dwarf_Die *type, uint64_t bit, uint64_t n_bits);

/* A number, of an encoding as in debug information (DW_ATE_*), in the low @n_bits of a word. */
void value_text_of_number(struct value_text *value, uint64_t encoding, uint64_t word,
			  uint64_t n_bits);
/* An enumerator: a number by its name of @size bytes. */
void value_text_of_enumerator(struct value_text *value, uint64_t word, const char *name,
			      size_t size);
/* An address, and the name of what is there; "": none. */
void value_text_of_address(struct value_text *value, uint64_t addr, const char *name);
/* A string of @n bytes, as long as there is room. @is_whole: it has no more. */
void value_text_of_string(struct value_text *value, const uint8_t *bytes, size_t n, bool is_whole);

/* The text of a value without the address at which it happened to be, if more is known: "warm" for
 * 0x402010 "warm", <main> for 0x401136 <main>, 5 for @0x7ffd1234: 5. In @value. */
const char *value_text_without_address(const struct value_text *value);
/* Appends a byte of a string as it is written between the quotes. @text: with room for 4 bytes and
 * a zero. Returns the number of bytes. */
size_t value_text_escape(char *text, uint8_t byte);

#endif
