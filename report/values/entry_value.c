#include "report/values/entry_value.h"

#include <dwarf.h>
#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/values/value_types.h"
#include "report/values/value_variables.h"

#define EVALUATIONS 32

static const char in_vector[] =
	"is in a register of floating-point numbers, which the kernel can't fetch";

/* A description that is true for the whole function is not, before its first instructions ran. */
static bool is_for_whole_function(Dwarf_Die *variable)
{
	Dwarf_Attribute location;

	if (!dwarf_attr_integrate(variable, DW_AT_location, &location))
		return false;
	switch (dwarf_whatform(&location)) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		return true;
	default:
		return false;
	}
}

/* What a function and an expression say about a value. */
struct question {
	struct entry_point *entry;
	const struct value_expression *expression;
	struct value_variable variable;
	bool has_code;
	struct entry_code code;
};

/* What the type of the expression says. */
struct kind_of_value {
	enum entry_value_kind kind;
	unsigned n_bytes;
	uint64_t bit, n_bits; /* of a bit-field */
	bool is_behind;       /* it is what the pointer there leads to: a text */
	Dwarf_Die type;       /* plain */
};

static enum entry_value_kind kind_of_base(Dwarf_Die *type)
{
	uint64_t encoding = 0;

	value_type_number(type, DW_AT_encoding, &encoding);
	switch (encoding) {
	case DW_ATE_boolean:
		return ENTRY_BOOL;
	case DW_ATE_signed_char:
		return ENTRY_CHARACTER;
	case DW_ATE_unsigned_char:
		return ENTRY_BYTE;
	case DW_ATE_signed:
		return ENTRY_SIGNED;
	case DW_ATE_float:
		return ENTRY_FLOAT;
	default:
		return ENTRY_UNSIGNED;
	}
}

/* Whether enumerators have signs: where the type does not say, one that is below 0. */
static bool has_sign(Dwarf_Die *type)
{
	Dwarf_Die inner;

	return !value_type_of(type, &inner) || !value_type_plain(&inner) ||
	       kind_of_base(&inner) == ENTRY_SIGNED || kind_of_base(&inner) == ENTRY_CHARACTER;
}

/* Whether a pointer or an array has characters. */
static bool has_characters(Dwarf_Die *type)
{
	Dwarf_Die inner;

	return value_type_of(type, &inner) && value_type_is_character(&inner);
}

/* NULL, or why a value of the type can't be fetched. */
static const char *judge_type(Dwarf_Die *plain, struct kind_of_value *ret)
{
	const int size = dwarf_bytesize(plain);

	ret->n_bytes = size > 0 ? (unsigned)size : 0;
	ret->is_behind = false;
	switch (dwarf_tag(plain)) {
	case DW_TAG_base_type:
		ret->kind = kind_of_base(plain);
		break;
	case DW_TAG_enumeration_type:
		ret->kind = has_sign(plain) ? ENTRY_SIGNED : ENTRY_UNSIGNED;
		break;
	case DW_TAG_pointer_type:
		ret->n_bytes = 8;
		ret->is_behind = has_characters(plain);
		ret->kind = ret->is_behind ? ENTRY_STRING : ENTRY_ADDRESS;
		break;
	case DW_TAG_array_type:
		if (!has_characters(plain))
			return "is an array: ask for one of its elements";
		ret->kind = ENTRY_STRING;
		ret->n_bytes = 1;
		return NULL;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return "is a struct or the like: ask for one of its members";
	default:
		return "has a type that the kernel can't fetch";
	}
	if (ret->n_bytes != 1 && ret->n_bytes != 2 && ret->n_bytes != 4 && ret->n_bytes != 8)
		return "has another size than 1, 2, 4 or 8 bytes";
	if (ret->kind == ENTRY_FLOAT && ret->n_bytes < 4)
		return "has a type that the kernel can't fetch";
	return NULL;
}

/* Goes from a reference to what it refers to. */
static enum debug_reason leave_reference(const struct debug_frame *frame, struct value_place *place,
					 Dwarf_Die *plain)
{
	uint8_t bytes[8] = { 0 };
	uint64_t addr;

	for (;;) {
		*plain = place->type;
		if (!value_type_plain(plain))
			return DEBUG_NOT_SUPPORTED;
		if (dwarf_tag(plain) != DW_TAG_reference_type &&
		    dwarf_tag(plain) != DW_TAG_rvalue_reference_type)
			return DEBUG_KNOWN;
		enum debug_reason reason =
			debug_location_read(&place->location, frame, place->bit, 64, bytes);
		if (reason)
			return reason;
		if (!value_type_of(plain, &place->type))
			return DEBUG_NOT_SUPPORTED;
		memcpy(&addr, bytes, sizeof(addr));
		debug_location_at(&place->location, addr);
		place->bit = place->n_bits = 0;
	}
}

/* One evaluation of the question. @wrong_ret: why not, where no debug_reason fits. */
static enum debug_reason evaluate(struct question *question, struct entry_evaluation *evaluation,
				  struct kind_of_value *kind, struct entry_place *found,
				  const char **wrong_ret)
{
	const struct debug_frame *frame = &evaluation->frame;
	struct value_place place = { .bit = 0 };
	Dwarf_Die plain;
	enum debug_reason reason =
		value_expression_find(question->expression, &question->variable.die, frame, &place);

	if (!reason)
		reason = leave_reference(frame, &place, &plain);
	if (reason)
		return reason;
	*wrong_ret = judge_type(&plain, kind);
	if (*wrong_ret)
		return DEBUG_KNOWN;
	kind->type = plain;
	kind->bit = place.bit;
	kind->n_bits = place.n_bits;
	return entry_place_find(evaluation, &place.location, place.bit,
				place.n_bits ? place.n_bits : 8 * kind->n_bytes, found);
}

/* A bit-field, or a value that does not begin with its register. */
static const char *set_bits(const struct entry_place *found, const struct kind_of_value *kind,
			    struct entry_value *value)
{
	const bool is_in_register = found->kind == DEBUG_IN_REGISTER;
	const unsigned bit = (is_in_register ? 8 * found->byte : 0) + found->bit;
	unsigned n_bits = kind->n_bits ? (unsigned)kind->n_bits : 8 * kind->n_bytes;

	if (found->width && found->width < n_bits) {
		if (value->kind == ENTRY_SIGNED || value->kind == ENTRY_CHARACTER ||
		    value->kind == ENTRY_FLOAT)
			return "lies in a part of a register without its sign";
		n_bits = found->width;
	}
	value->size = kind->n_bytes;
	value->bit = value->n_bits = 0;
	if (value->kind == ENTRY_STRING || (!bit && n_bits == 8 * kind->n_bytes))
		return NULL;
	if (found->kind == DEBUG_IS_VALUE || value->kind == ENTRY_FLOAT)
		return "lies in a part of a number, from which the kernel can't fetch it";
	for (value->size = is_in_register ? 8 : 1; value->size < 8; value->size *= 2)
		if (bit + n_bits <= 8 * value->size)
			break;
	if (bit + n_bits > 8 * value->size)
		return "is a bit-field that lies across 9 bytes";
	value->bit = bit;
	value->n_bits = n_bits;
	return NULL;
}

/* NULL, or why not. */
static const char *conclude(const struct question *question,
			    const struct entry_evaluation *evaluation,
			    const struct entry_place *found, const struct kind_of_value *kind,
			    struct entry_value *value)
{
	char place[ENTRY_PLACE_MAX];

	if (found->is_in_vector)
		return in_vector;
	if (found->is_beyond && found->kind == DEBUG_IN_REGISTER && !question->has_code)
		return "is not yet at the place that the compiler describes when the function is "
		       "entered, and only code of x86-64 is followed to that place";
	if (found->is_beyond)
		return "lies where the kernel can't fetch it when the function is entered: it "
		       "takes registers, constants, and memory at a distance from these";
	if (!question->variable.is_parameter && found->spot.base != ENTRY_FILE_BASE)
		return "is a local variable, which has no value yet when the function is entered";
	value->kind = kind->kind;
	value->type = kind->type;
	entry_place_write(evaluation, found, value->place, &value->may_fail);
	if (kind->kind == ENTRY_STRING && kind->is_behind) {
		memcpy(place, value->place, sizeof(place));
		snprintf(value->place, sizeof(value->place), "+0(%.*s)", ENTRY_PLACE_MAX - 5,
			 place);
		value->may_fail = true;
	} else if (kind->kind == ENTRY_STRING && found->kind != DEBUG_IN_MEMORY) {
		return "is an array that is not in memory";
	}
	if (strlen(value->place) == ENTRY_PLACE_MAX - 1)
		return "takes too many steps";
	return set_bits(found, kind, value);
}

static const char *reason_text(enum debug_reason reason)
{
	switch (reason) {
	case DEBUG_OPTIMIZED_OUT:
		return "has no place when the function is entered, by the debug information "
		       "(optimized out)";
	case DEBUG_NO_SUCH_PART:
		return "does not fit its types: there is no such member, or it is not a pointer "
		       "or array";
	case DEBUG_NO_INFORMATION:
		return "leads to a type that the debug information does not describe";
	case DEBUG_NO_MEMORY:
	case DEBUG_NO_REGISTER:
		return "can't be followed to where it lies when the function is entered";
	default:
		return "has a place that the kernel can't compute";
	}
}

static void explain_name(struct question *question, char *reason)
{
	struct value_variable variables[VALUE_VARIABLES_MAX];
	const size_t n = value_variables_list(&question->entry->function, question->entry->vaddr,
					      false, variables);
	size_t length = 0;

	length = (size_t)snprintf(reason, ENTRY_REASON_MAX,
				  "the function has no parameter '%s'; it has %s",
				  question->expression->variable, n ? "" : "none");
	for (size_t i = 0; i < n && length < ENTRY_REASON_MAX; i++)
		length += (size_t)snprintf(reason + length, ENTRY_REASON_MAX - length, "%s%s",
					   i ? ", " : "", variables[i].name);
	if (length < ENTRY_REASON_MAX)
		snprintf(reason + length, ENTRY_REASON_MAX - length, ".");
}

/* NULL, or why one evaluation has found nothing. */
static const char *ask_once(struct question *question, struct entry_evaluation *evaluation,
			    unsigned index, struct kind_of_value *kind, struct entry_place *found)
{
	const char *wrong = NULL;

	entry_evaluation_begin(evaluation, question->entry,
			       question->has_code ? &question->code : NULL, index,
			       is_for_whole_function(&question->variable.die));
	const enum debug_reason reason = evaluate(question, evaluation, kind, found, &wrong);
	if (wrong || !reason)
		return wrong;
	return evaluation->is_in_vector ? in_vector : reason_text(reason);
}

/* NULL, or why not. */
static const char *ask(struct question *question, struct entry_value *value_ret)
{
	struct entry_findings findings = { .is_same = true };
	struct entry_place found = { .kind = DEBUG_IS_MISSING };
	struct kind_of_value kind = { .n_bits = 0 };
	struct entry_evaluation first = { .n_bases = 0 }, other = first;

	for (unsigned i = 0; i < EVALUATIONS; i++) {
		struct entry_evaluation *evaluation = i ? &other : &first;
		const char *wrong = ask_once(question, evaluation, i, &kind, &found);

		if (wrong)
			return wrong;
		entry_findings_add(&findings, evaluation, &found);
	}
	entry_findings_settle(&findings);
	return conclude(question, &first, &findings.found, &kind, value_ret);
}

bool entry_value_find(struct entry_point *entry, const struct value_expression *expression,
		      struct entry_value *value_ret, char *reason)
{
	struct question question = { .entry = entry, .expression = expression };

	if (!value_variables_find(&entry->function, entry->vaddr, expression->variable,
				  &question.variable)) {
		explain_name(&question, reason);
		return false;
	}
	question.has_code = entry->machine == EM_X86_64 &&
			    !entry_code_follow(entry->code, entry->code_size, &question.code);
	const char *wrong = ask(&question, value_ret);
	if (wrong)
		snprintf(reason, ENTRY_REASON_MAX, "'%s' %s.", expression->text, wrong);
	return !wrong;
}
