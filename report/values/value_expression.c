#include "report/values/value_expression.h"

#include <dwarf.h>
#include <string.h>

#include "report/dwarf/debug_location.h"
#include "report/values/value_types.h"
#include "report/values/value_variants.h"

#define MAX_INDEX      1000000000
#define MAX_DIMENSIONS 8
#define MAX_REFERENCES 8 /* to references */

static const char too_long[] = "is too long";
static const char no_name[] = "lacks the name of a variable";
static const char no_member[] = "lacks the name of a member";
static const char no_index[] = "has an index that is no number, or too large";
static const char no_bracket[] = "lacks a bracket";
static const char no_operator[] = "goes on with what is neither '->', '.' nor '['";

struct parser {
	struct value_expression *expression;
	const char *at;
	size_t n_names; /* bytes */
	const char *wrong;
};

static void skip_spaces(struct parser *parser)
{
	while (*parser->at == ' ')
		parser->at++;
}

static bool take(struct parser *parser, const char *text)
{
	skip_spaces(parser);
	if (strncmp(parser->at, text, strlen(text)) != 0)
		return false;
	parser->at += strlen(text);
	return true;
}

/* Letters outside of ASCII are allowed, as compilers do. */
static bool is_in_name(char c, bool is_first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80 || (!is_first && c >= '0' && c <= '9');
}

/* NULL: none. At most as many bytes and one more for each name as the text has. */
static const char *take_name(struct parser *parser)
{
	char *name = parser->expression->names + parser->n_names;
	size_t n = 0;

	skip_spaces(parser);
	while (is_in_name(parser->at[n], n == 0))
		n++;
	if (!n)
		return NULL;
	memcpy(name, parser->at, n);
	name[n] = 0;
	parser->at += n;
	parser->n_names += n + 1;
	return name;
}

static bool add(struct parser *parser, struct value_step step)
{
	if (parser->expression->n_steps == VALUE_STEPS_MAX) {
		parser->wrong = too_long;
		return false;
	}
	parser->expression->steps[parser->expression->n_steps++] = step;
	return true;
}

static bool parse_element(struct parser *parser)
{
	const bool is_negative = take(parser, "-");
	int64_t index = 0;
	unsigned n = 0;

	skip_spaces(parser);
	for (; *parser->at >= '0' && *parser->at <= '9' && index <= MAX_INDEX; n++)
		index = 10 * index + (*parser->at++ - '0');
	if (!n || index > MAX_INDEX) {
		parser->wrong = no_index;
		return false;
	}
	if (!take(parser, "]")) {
		parser->wrong = no_bracket;
		return false;
	}
	return add(parser, (struct value_step){ .kind = STEP_ELEMENT,
						.index = is_negative ? -index : index });
}

static bool parse_member(struct parser *parser)
{
	const char *name = take_name(parser);

	if (!name) {
		parser->wrong = no_member;
		return false;
	}
	return add(parser, (struct value_step){ .kind = STEP_MEMBER, .name = name });
}

/* What stands behind a name or a bracket. false: something is wrong. */
static bool parse_steps(struct parser *parser)
{
	for (;;) {
		bool ok = true;

		if (take(parser, "->"))
			ok = add(parser, (struct value_step){ .kind = STEP_INDIRECT }) &&
			     parse_member(parser);
		else if (take(parser, "."))
			ok = parse_member(parser);
		else if (take(parser, "["))
			ok = parse_element(parser);
		else
			return true;
		if (!ok)
			return false;
	}
}

/*
 * Brackets need no recursion: what they hold comes first in any case. @stars: of each open bracket,
 * the stars before it, which count after the steps that follow its end.
 */
static bool parse(struct parser *parser)
{
	unsigned stars[VALUE_STEPS_MAX + 1] = { 0 };
	size_t depth = 0;

	for (;;) {
		if (take(parser, "*")) {
			if (++stars[depth] > VALUE_STEPS_MAX) {
				parser->wrong = too_long;
				return false;
			}
		} else if (!take(parser, "(")) {
			break;
		} else if (depth++ == VALUE_STEPS_MAX) {
			parser->wrong = too_long;
			return false;
		}
	}
	parser->expression->variable = take_name(parser);
	if (!parser->expression->variable) {
		parser->wrong = no_name;
		return false;
	}
	for (;; depth--) {
		if (!parse_steps(parser))
			return false;
		while (stars[depth]--)
			if (!add(parser, (struct value_step){ .kind = STEP_INDIRECT }))
				return false;
		if (!depth)
			break;
		if (!take(parser, ")")) {
			parser->wrong = no_bracket;
			return false;
		}
	}
	skip_spaces(parser);
	if (*parser->at)
		parser->wrong = no_operator;
	return !parser->wrong;
}

const char *value_expression_parse(struct value_expression *expression, const char *text)
{
	struct parser parser = { expression, expression->text, 0, NULL };

	expression->n_steps = 0;
	if (strlen(text) > VALUE_EXPRESSION_MAX)
		return too_long;
	strcpy(expression->text, text);
	parse(&parser);
	return parser.wrong;
}

/* While an expression is followed. */
struct walk {
	struct value_place *place;
	const struct debug_frame *frame;
	unsigned dimension; /* of an array of several: those that have an index */
};

static enum debug_reason follow_pointer(struct walk *walk, Dwarf_Die *pointer, int64_t index)
{
	struct value_place *place = walk->place;
	uint8_t bytes[8] = { 0 };
	Dwarf_Die plain;
	Dwarf_Word size = 0;
	uint64_t addr;
	const int width = dwarf_bytesize(pointer);
	const uint64_t n_bits = width == 4 ? 32 : 64;

	if (!value_type_of(pointer, &place->type))
		return DEBUG_NO_SUCH_PART;
	plain = place->type;
	if (index && (!value_type_plain(&plain) || dwarf_aggregate_size(&plain, &size) != 0))
		return DEBUG_NO_SUCH_PART;
	enum debug_reason reason =
		debug_location_read(&place->location, walk->frame, place->bit, n_bits, bytes);
	if (reason)
		return reason;
	memcpy(&addr, bytes, sizeof(addr));
	debug_location_at(&place->location, addr + size * (uint64_t)index);
	place->bit = 0;
	return DEBUG_KNOWN;
}

/* Makes the type plain, and goes from a reference to what it refers to. */
static enum debug_reason enter(struct walk *walk, Dwarf_Die *type_ret)
{
	*type_ret = walk->place->type;
	if (walk->place->n_bits || !value_type_plain(type_ret))
		return DEBUG_NO_SUCH_PART;
	if (dwarf_tag(type_ret) != DW_TAG_reference_type &&
	    dwarf_tag(type_ret) != DW_TAG_rvalue_reference_type)
		return DEBUG_KNOWN;
	Dwarf_Die reference = *type_ret;
	enum debug_reason reason = follow_pointer(walk, &reference, 0);
	if (reason)
		return reason;
	*type_ret = walk->place->type;
	return value_type_plain(type_ret) ? DEBUG_KNOWN : DEBUG_NO_SUCH_PART;
}

/*
 * Makes the variant that the object is, with its members, the type. A step to the variant's own
 * name stays there: *@is_there_ret.
 */
static enum debug_reason enter_variant(struct walk *walk, struct value_variants *variants,
				       const char *name, Dwarf_Die *type_ret, bool *is_there_ret)
{
	struct value_place *place = walk->place;
	uint8_t bytes[8] = { 0 };
	enum debug_reason reason = DEBUG_KNOWN;
	uint64_t discriminant, bit, n_bits;
	Dwarf_Die member;

	if (variants->n_bits > 64)
		return DEBUG_NOT_SUPPORTED;
	if (variants->n_bits)
		reason = debug_location_read(&place->location, walk->frame,
					     place->bit + variants->bit, variants->n_bits, bytes);
	if (reason)
		return reason;
	memcpy(&discriminant, bytes, sizeof(discriminant));
	if (!value_variants_choose(variants, discriminant, &member) ||
	    !value_type_member_place(&member, &bit, &n_bits) ||
	    !value_type_of(&member, &place->type))
		return DEBUG_MALFORMED;
	place->bit += bit;
	*is_there_ret = dwarf_diename(&member) && strcmp(dwarf_diename(&member), name) == 0;
	*type_ret = place->type;
	return value_type_plain(type_ret) ? DEBUG_KNOWN : DEBUG_NO_SUCH_PART;
}

/* Rust's references are pointers with a name, "&str", and lead to what they refer to, as there. */
static enum debug_reason enter_members(struct walk *walk, Dwarf_Die *type_ret)
{
	enum debug_reason reason = enter(walk, type_ret);

	for (unsigned i = 0; i < MAX_REFERENCES && !reason; i++) {
		if (dwarf_tag(type_ret) != DW_TAG_pointer_type || !dwarf_diename(type_ret))
			break;
		Dwarf_Die reference = *type_ret;
		reason = follow_pointer(walk, &reference, 0);
		if (!reason)
			reason = enter(walk, type_ret);
	}
	return reason;
}

static enum debug_reason go_to_member(struct walk *walk, const char *name)
{
	struct value_place *place = walk->place;
	struct value_variants variants;
	struct value_member member;
	Dwarf_Die type;
	bool is_there;
	enum debug_reason reason = enter_members(walk, &type);

	if (reason)
		return reason;
	if (value_type_has_members(&type) && dwarf_hasattr(&type, DW_AT_declaration))
		return DEBUG_NO_INFORMATION;
	if (value_variants_of(&type, &variants)) {
		reason = enter_variant(walk, &variants, name, &type, &is_there);
		if (reason || is_there)
			return reason;
	}
	if (!value_type_find_member(&type, name, &member))
		return DEBUG_NO_SUCH_PART;
	place->type = member.type;
	place->bit += member.bit;
	place->n_bits = member.n_bits;
	return DEBUG_KNOWN;
}

/* The number of the array's dimensions. @n_each: of elements in the arrays of all further ones. */
static unsigned count_dimensions(Dwarf_Die *array, unsigned dimension, uint64_t *n_each)
{
	unsigned n = 0, n_children = 0;
	Dwarf_Die die;

	*n_each = 1;
	for (int err = dwarf_child(array, &die); err == 0 && n_children++ < VALUE_CHILDREN_MAX;
	     err = dwarf_siblingof(&die, &die)) {
		uint64_t count = 0;

		if (dwarf_tag(&die) != DW_TAG_subrange_type)
			continue;
		if (n++ <= dimension)
			continue;
		if (!value_type_number(&die, DW_AT_count, &count) &&
		    value_type_number(&die, DW_AT_upper_bound, &count))
			count++;
		*n_each = count <= UINT32_MAX && *n_each <= UINT32_MAX ? *n_each * count : 0;
	}
	return n;
}

static enum debug_reason go_to_element(struct walk *walk, Dwarf_Die *array, int64_t index)
{
	struct value_place *place = walk->place;
	Dwarf_Die element, plain;
	Dwarf_Word size;
	uint64_t n_each;

	const unsigned n = count_dimensions(array, walk->dimension, &n_each);
	if (!value_type_of(array, &element))
		return DEBUG_NO_SUCH_PART;
	plain = element;
	if (!n || !n_each || !value_type_plain(&plain) ||
	    dwarf_aggregate_size(&plain, &size) != 0 || size > UINT32_MAX)
		return DEBUG_NOT_SUPPORTED;
	if (index < 0)
		return DEBUG_NO_SUCH_PART;
	place->bit += 8 * size * n_each * (uint64_t)index;
	if (++walk->dimension < n)
		return DEBUG_KNOWN;
	walk->dimension = 0;
	place->type = element;
	return DEBUG_KNOWN;
}

static enum debug_reason take_step(struct walk *walk, const struct value_step *step)
{
	Dwarf_Die type;

	if (step->kind == STEP_MEMBER)
		return walk->dimension ? DEBUG_NO_SUCH_PART : go_to_member(walk, step->name);
	enum debug_reason reason = enter(walk, &type);
	if (reason)
		return reason;
	if (dwarf_tag(&type) == DW_TAG_array_type)
		return go_to_element(walk, &type, step->index);
	return dwarf_tag(&type) == DW_TAG_pointer_type ? follow_pointer(walk, &type, step->index)
						       : DEBUG_NO_SUCH_PART;
}

enum debug_reason value_expression_find(const struct value_expression *expression,
					Dwarf_Die *variable, const struct debug_frame *frame,
					struct value_place *place)
{
	struct walk walk = { place, frame, 0 };
	enum debug_reason reason = debug_location_find(&place->location, variable, frame);

	place->bit = place->n_bits = 0;
	if (!value_type_of(variable, &place->type))
		return DEBUG_NOT_SUPPORTED;
	for (size_t i = 0; i < expression->n_steps && !reason; i++)
		reason = take_step(&walk, &expression->steps[i]);
	/* The type of a part of an array of several dimensions has no description. */
	return !reason && walk.dimension ? DEBUG_NOT_SUPPORTED : reason;
}
