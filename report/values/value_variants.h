/*
 * Types of which an object is one of several variants at a time, as Rust's enums: DWARF 5, 5.7.10.
 * What a discriminant says, a number in the object, is which variant it is.
 */
#ifndef REPORT_VALUES_VALUE_VARIANTS_H
#define REPORT_VALUES_VALUE_VARIANTS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct value_variants {
	Dwarf_Die part;
	uint64_t bit, n_bits; /* of the discriminant, in the object; n_bits: 0: there is none */
};

/* false: the type has no variants. */
bool value_variants_of(Dwarf_Die *type, struct value_variants *variants_ret);
/* The member that the object has if this is its discriminant. false: none. */
bool value_variants_choose(struct value_variants *variants, uint64_t discriminant,
			   Dwarf_Die *member_ret);

#endif
