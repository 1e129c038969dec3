#include "report/values/value_variants.h"

#include <dwarf.h>

#include "report/dwarf/debug_number.h"
#include "report/values/value_types.h"

static bool find_child(Dwarf_Die *die, int tag, Dwarf_Die *child_ret)
{
	unsigned n = 0;

	for (int err = dwarf_child(die, child_ret); err == 0 && n++ < VALUE_CHILDREN_MAX;
	     err = dwarf_siblingof(child_ret, child_ret))
		if (dwarf_tag(child_ret) == tag)
			return true;
	return false;
}

bool value_variants_of(Dwarf_Die *type, struct value_variants *variants_ret)
{
	struct value_variants variants = { .n_bits = 0 };
	Dwarf_Attribute found;
	Dwarf_Die member, number;
	uint64_t n_bits;

	if (!value_type_has_members(type) || !find_child(type, DW_TAG_variant_part, &variants.part))
		return false;
	if (dwarf_attr(&variants.part, DW_AT_discr, &found) && dwarf_formref_die(&found, &member) &&
	    value_type_member_place(&member, &variants.bit, &n_bits) &&
	    value_type_of(&member, &number) && value_type_plain(&number) &&
	    dwarf_bytesize(&number) > 0)
		variants.n_bits = n_bits ? n_bits : 8 * (uint64_t)dwarf_bytesize(&number);
	*variants_ret = variants;
	return true;
}

static uint64_t low_bits(uint64_t number, uint64_t n_bits)
{
	return n_bits && n_bits < 64 ? number & ((1ull << n_bits) - 1) : number;
}

bool value_variants_choose(struct value_variants *variants, uint64_t discriminant,
			   Dwarf_Die *member_ret)
{
	bool has_default = false;
	Dwarf_Die die, otherwise;
	unsigned n = 0;

	for (int err = dwarf_child(&variants->part, &die); err == 0 && n++ < VALUE_CHILDREN_MAX;
	     err = dwarf_siblingof(&die, &die)) {
		Dwarf_Attribute found;
		uint64_t number;

		if (dwarf_tag(&die) != DW_TAG_variant)
			continue;
		/* A list of numbers is not looked at: rustc writes none. */
		if (!dwarf_hasattr(&die, DW_AT_discr_value)) {
			otherwise = die;
			has_default = !dwarf_hasattr(&die, DW_AT_discr_list);
		} else if (variants->n_bits && dwarf_attr(&die, DW_AT_discr_value, &found) &&
			   debug_number_constant(&found, &number) &&
			   low_bits(number, variants->n_bits) ==
				   low_bits(discriminant, variants->n_bits)) {
			return find_child(&die, DW_TAG_member, member_ret);
		}
	}
	return has_default && find_child(&otherwise, DW_TAG_member, member_ret);
}
