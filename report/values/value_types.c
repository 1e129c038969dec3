#include "report/values/value_types.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/dwarf/debug_number.h"

#define MAX_QUALIFIERS 32
#define MAX_DIMENSIONS 8
#define MAX_NESTING    8     /* of bases and of members without a name that are searched */
#define MAX_LOOKED_AT  65536 /* members of one search */

bool value_type_of(Dwarf_Die *die, Dwarf_Die *type_ret)
{
	Dwarf_Attribute found;

	return dwarf_attr_integrate(die, DW_AT_type, &found) && dwarf_formref_die(&found, type_ret);
}

bool value_type_plain(Dwarf_Die *type)
{
	for (unsigned i = 0; i < MAX_QUALIFIERS; i++) {
		Dwarf_Die inner;

		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!value_type_of(type, &inner))
				return false;
			*type = inner;
			break;
		default:
			return true;
		}
	}
	return false;
}

bool value_type_number(Dwarf_Die *die, unsigned name, uint64_t *number_ret)
{
	Dwarf_Attribute found;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, name, &found) || dwarf_formudata(&found, &value) != 0)
		return false;
	*number_ret = value;
	return true;
}

bool value_type_is_character(Dwarf_Die *type)
{
	uint64_t encoding = 0;

	return value_type_plain(type) && dwarf_tag(type) == DW_TAG_base_type &&
	       dwarf_bytesize(type) == 1 && value_type_number(type, DW_AT_encoding, &encoding) &&
	       (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char ||
		encoding == DW_ATE_UTF);
}

bool value_type_member_place(Dwarf_Die *member, uint64_t *bit_ret, uint64_t *n_bits_ret)
{
	uint64_t offset = 0, in_storage, size;
	Dwarf_Die type;

	*n_bits_ret = 0;
	value_type_number(member, DW_AT_bit_size, n_bits_ret);
	if (value_type_number(member, DW_AT_data_bit_offset, bit_ret))
		return true;
	value_type_number(member, DW_AT_data_member_location, &offset);
	*bit_ret = 8 * offset;
	if (!value_type_number(member, DW_AT_bit_offset, &in_storage))
		return true;
	/* Before DWARF 5: from the highest bit of the storage down. */
	if (!value_type_number(member, DW_AT_byte_size, &size)) {
		if (!value_type_of(member, &type) || !value_type_plain(&type) ||
		    dwarf_bytesize(&type) < 1)
			return false;
		size = (uint64_t)dwarf_bytesize(&type);
	}
	*bit_ret += 8 * size - in_storage - *n_bits_ret;
	return size <= 8 && in_storage + *n_bits_ret <= 8 * size;
}

bool value_type_is_member(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_member && !dwarf_hasattr(die, DW_AT_external)) ||
	       tag == DW_TAG_inheritance;
}

bool value_type_first_member(Dwarf_Die *type, Dwarf_Die *member_ret)
{
	unsigned n = 0;

	for (int err = dwarf_child(type, member_ret); err == 0 && n++ < VALUE_CHILDREN_MAX;
	     err = dwarf_siblingof(member_ret, member_ret))
		if (value_type_is_member(member_ret))
			return true;
	return false;
}

bool value_type_is_tuple(Dwarf_Die *type)
{
	Dwarf_Die first;

	return value_type_first_member(type, &first) && dwarf_diename(&first) &&
	       strcmp(dwarf_diename(&first), "__0") == 0;
}

bool value_type_has_members(Dwarf_Die *type)
{
	const int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* A search for a member. */
struct search {
	const char *name;
	unsigned n_looked_at;
	struct value_member *found;
};

/* Members of bases and of members without a name, too. @depth: up to MAX_NESTING. */
static bool find_member(struct search *search, Dwarf_Die *type, uint64_t bit, unsigned depth)
{
	Dwarf_Die die, inner;

	for (int err = dwarf_child(type, &die); err == 0 && search->n_looked_at++ < MAX_LOOKED_AT;
	     err = dwarf_siblingof(&die, &die)) {
		uint64_t at, n_bits;

		if (!value_type_is_member(&die) || !value_type_member_place(&die, &at, &n_bits) ||
		    !value_type_of(&die, &inner))
			continue;
		const bool is_base = dwarf_tag(&die) == DW_TAG_inheritance;
		const char *name = is_base ? NULL : dwarf_diename(&die);
		if (name && strcmp(name, search->name) == 0) {
			*search->found = (struct value_member){ inner, bit + at, n_bits };
			return true;
		}
		/* Where a virtual base lies is in the object's table of functions. */
		if (!name && depth < MAX_NESTING && !dwarf_hasattr(&die, DW_AT_virtuality) &&
		    value_type_plain(&inner) && value_type_has_members(&inner) &&
		    find_member(search, &inner, bit + at, depth + 1))
			return true;
	}
	return false;
}

bool value_type_find_member(Dwarf_Die *type, const char *name, struct value_member *member_ret)
{
	struct search search = { .name = name, .found = member_ret };

	return value_type_has_members(type) && find_member(&search, type, 0, 0);
}

uint64_t value_type_count_elements(Dwarf_Die *type)
{
	uint64_t count = 0, bound;
	unsigned n = 0, n_children = 0;
	Dwarf_Die die;

	for (int err = dwarf_child(type, &die); err == 0 && n_children++ < VALUE_CHILDREN_MAX;
	     err = dwarf_siblingof(&die, &die)) {
		if (dwarf_tag(&die) != DW_TAG_subrange_type)
			continue;
		if (!value_type_number(&die, DW_AT_count, &bound)) {
			if (!value_type_number(&die, DW_AT_upper_bound, &bound))
				return 0;
			bound++;
		}
		if (bound > UINT32_MAX || count > UINT32_MAX)
			return 0;
		count = n++ ? count * bound : bound;
	}
	return count;
}

bool value_type_enumerator(Dwarf_Die *die, uint64_t *number_ret)
{
	Dwarf_Attribute found;

	return dwarf_tag(die) == DW_TAG_enumerator && dwarf_diename(die) &&
	       dwarf_attr(die, DW_AT_const_value, &found) &&
	       debug_number_constant(&found, number_ret);
}

void value_type_enumerators(Dwarf_Die *type, char *text, size_t size)
{
	size_t used = 0;
	unsigned n = 0;
	Dwarf_Die die;

	text[0] = '\0';
	for (int err = dwarf_child(type, &die); err == 0 && n++ < VALUE_CHILDREN_MAX;
	     err = dwarf_siblingof(&die, &die)) {
		uint64_t number;

		if (!value_type_enumerator(&die, &number) || strpbrk(dwarf_diename(&die), " \n"))
			continue;
		const int length = snprintf(text + used, size - used, "%s%" PRId64 "=%s",
					    used ? " " : "", (int64_t)number, dwarf_diename(&die));
		if ((size_t)length >= size - used) {
			text[used] = '\0';
			continue;
		}
		used += (size_t)length;
	}
}

/* What stands behind the name of a type's innermost part. */
static void append(char *name, size_t size, const char *text)
{
	size_t n = strlen(name);

	snprintf(name + n, size - n, "%s", text);
}

/* Adds what stands behind the innermost type's name. false: @type is the innermost one. Whether a
 * pointer itself is constant, as `this`, is not shown. */
static bool add_behind(Dwarf_Die *type, char *behind, size_t size, bool *is_const)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
		*is_const = false;
		memmove(behind + 1, behind, strlen(behind) + 1);
		*behind = '*';
		return true;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		*is_const = false;
		memmove(behind + 1, behind, strlen(behind) + 1);
		*behind = '&';
		return true;
	case DW_TAG_const_type:
		*is_const = true;
		return true;
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return true;
	case DW_TAG_array_type:
		append(behind, size, "[]");
		return true;
	default:
		return false;
	}
}

void value_type_name(const Dwarf_Die *named, char *name, size_t size)
{
	char behind[2 * MAX_QUALIFIERS + 1] = "";
	Dwarf_Die type = *named, inner;
	unsigned depth = 0;
	bool is_const = false, is_void = false;

	while (!is_void && depth++ < MAX_QUALIFIERS &&
	       add_behind(&type, behind, sizeof(behind), &is_const)) {
		is_void = !value_type_of(&type, &inner);
		if (!is_void)
			type = inner;
	}
	const char *last = is_void                                      ? "void"
			   : dwarf_tag(&type) == DW_TAG_subroutine_type ? "function"
									: dwarf_diename(&type);

	snprintf(name, size, "%s%s%s%s", is_const ? "const " : "", last ? last : "?",
		 *behind ? " " : "", behind);
}
