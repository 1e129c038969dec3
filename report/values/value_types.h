/* The types of variables in debug information. They come from files: chains and lists of them are
 * bounded. */
#ifndef REPORT_VALUES_VALUE_TYPES_H
#define REPORT_VALUES_VALUE_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VALUE_CHILDREN_MAX 4096 /* of a type that are looked at */

/* The type of a variable, a member, an element, or what a type refers to. false: none, void. */
bool value_type_of(Dwarf_Die *die, Dwarf_Die *type_ret);
/* Leaves typedefs and qualifiers. false: it is void, or goes on for too long. */
bool value_type_plain(Dwarf_Die *type);
/* An attribute that is a number without a sign. */
bool value_type_number(Dwarf_Die *die, unsigned name, uint64_t *number_ret);
/* Makes the type plain, too. */
bool value_type_is_character(Dwarf_Die *type);
/* Of a struct, a class or a union: a member that its objects have, or a base. */
bool value_type_is_member(Dwarf_Die *die);
/* Where a member is, from the beginning of its struct; *@n_bits_ret: of a bit-field, else 0. */
bool value_type_member_place(Dwarf_Die *member, uint64_t *bit_ret, uint64_t *n_bits_ret);
/* false: there is none. */
bool value_type_first_member(Dwarf_Die *type, Dwarf_Die *member_ret);
/* Whether its members are numbered, as those of Rust's tuples. */
bool value_type_is_tuple(Dwarf_Die *type);
/* A struct, a class or a union. */
bool value_type_has_members(Dwarf_Die *type);
struct value_member {
	Dwarf_Die type;
	uint64_t bit;    /* from the beginning of the struct that was searched */
	uint64_t n_bits; /* of a bit-field, else 0 */
};
/* Finds a member by its name, also in bases and in members without a name. @type: plain. */
bool value_type_find_member(Dwarf_Die *type, const char *name, struct value_member *member_ret);
/* Of all dimensions of an array together. 0: not known. */
uint64_t value_type_count_elements(Dwarf_Die *array);
/* The number of an enumerator; false: @die is not an enumerator. */
bool value_type_enumerator(Dwarf_Die *die, uint64_t *number_ret);
/* The enumerators of a type, "0=RED 7=GREEN -2=BLUE", as many as fit. @type: plain. */
void value_type_enumerators(Dwarf_Die *type, char *text, size_t size);
/* The name of a type, as in C: "const char *". */
void value_type_name(const Dwarf_Die *type, char *name, size_t size);

#endif
