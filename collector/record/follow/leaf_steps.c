#include "collector/record/follow/leaf_steps.h"

#include <dwarf.h>
#include <string.h>

#include "report/values/value_text.h"
#include "report/values/value_types.h"

#define SP_X86_64   7
#define N_X86_64    16
#define N_BASES     (FOLLOW_WORDS + FOLLOW_STEPS_MAX)
#define WORD        8u
#define TEXT_SIZE   48u       /* more than VALUE_STRING_MAX */
#define DISTANCE    INT32_MAX /* from a base to what belongs to it */
#define ADDRESS_MAX (1ull << 47)
static_assert(TEXT_SIZE > VALUE_STRING_MAX && TEXT_SIZE <= FOLLOW_PART_MAX, "with its end");

/* It must stay where it is. */
struct evaluation {
	struct debug_process process;
	struct debug_frame frame;
	uint64_t registers[FOLLOW_NOTHING];
	uint64_t seed;
	struct follow_rule *steps;
};

/* Multiples of an odd number near 2^64 divided by the golden ratio lie far apart. */
static uint64_t number_of(const struct evaluation *evaluation, uint64_t base)
{
	return (evaluation->seed + base + 1) * 0x9e3779b97f4a7c15;
}

/* An address of the process itself has no base. */
static bool find_base(const struct evaluation *evaluation, uint64_t addr, struct follow_step *step)
{
	for (uint64_t base = 0; base < N_BASES; base++) {
		const int64_t offset = (int64_t)(addr - number_of(evaluation, base));

		if (base == FOLLOW_NOTHING || offset < -DISTANCE || offset > DISTANCE)
			continue;
		*step = (struct follow_step){ .base = base, .offset = (uint64_t)offset };
		return true;
	}
	*step = (struct follow_step){ .base = FOLLOW_NOTHING, .offset = addr };
	return addr < ADDRESS_MAX;
}

/* The index of the step, new or old. */
static bool add_step(struct follow_rule *steps, struct follow_step step, uint64_t *index_ret)
{
	for (uint64_t i = 0; i < steps->n_steps; i++) {
		struct follow_step *old = &steps->steps[i];

		if (old->base != step.base || old->offset != step.offset)
			continue;
		old->size = old->size > step.size ? old->size : step.size;
		*index_ret = i;
		return true;
	}
	if (steps->n_steps == FOLLOW_STEPS_MAX)
		return false;
	*index_ret = steps->n_steps;
	steps->steps[steps->n_steps++] = step;
	return true;
}

/* Reads an address from made-up memory. */
static bool read_word(void *data, uint64_t addr, size_t size, uint8_t *bytes_ret)
{
	const struct evaluation *evaluation = data;
	struct follow_step step;
	uint64_t index;

	if (size != WORD || !find_base(evaluation, addr, &step))
		return false;
	step.size = WORD;
	if (!add_step(evaluation->steps, step, &index))
		return false;
	const uint64_t number = number_of(evaluation, FOLLOW_WORDS + index);
	memcpy(bytes_ret, &number, sizeof(number));
	return true;
}

static const struct debug_frame *find_no_caller(void *data, const struct debug_frame *frame)
{
	(void)data;
	(void)frame;
	return NULL;
}

static void begin(struct evaluation *evaluation, const struct debug_frame *leaf, unsigned sp,
		  uint64_t seed, struct follow_rule *steps)
{
	const unsigned n = sp == SP_X86_64 ? N_X86_64 : FOLLOW_NOTHING;

	*evaluation = (struct evaluation){
		.process = { read_word, find_no_caller, evaluation },
		.frame = *leaf,
		.seed = seed,
		.steps = steps,
	};
	for (unsigned i = 0; i < n; i++)
		evaluation->registers[i] = number_of(evaluation, i);
	evaluation->frame.process = &evaluation->process;
	evaluation->frame.registers = evaluation->registers;
	evaluation->frame.known &= (1ull << n) - 1;
	/* At one instruction the distance is the same, but in functions with alloca(). */
	evaluation->frame.cfa = number_of(evaluation, sp) + (leaf->cfa - leaf->registers[sp]);
	evaluation->frame.has_cfa &= leaf->known >> sp & 1;
	evaluation->frame.call_sites = NULL;
}

static bool leads_to_text(Dwarf_Die *plain)
{
	Dwarf_Die inner;

	return dwarf_tag(plain) == DW_TAG_pointer_type && value_type_of(plain, &inner) &&
	       value_type_is_character(&inner);
}

/* Where the only piece of the object is. */
static bool add_object(struct evaluation *evaluation, const struct value_place *place, bool is_text)
{
	const struct debug_piece *piece = &place->location.pieces[0];
	Dwarf_Die type = place->type;
	struct follow_step step;
	uint64_t index;
	int size = value_type_plain(&type) ? dwarf_bytesize(&type) : -1;

	if (place->location.n_pieces != 1 || piece->n_bits)
		return false;
	if (piece->kind == DEBUG_IN_REGISTER && is_text && piece->value < FOLLOW_NOTHING) {
		step = (struct follow_step){ .base = piece->value, .size = TEXT_SIZE };
		return add_step(evaluation->steps, step, &index);
	}
	if (piece->kind != DEBUG_IN_MEMORY)
		return piece->kind == DEBUG_IN_REGISTER;
	if (!find_base(evaluation, piece->value + (piece->bit + place->bit) / 8, &step))
		return false;
	step.size = is_text                                   ? WORD
		    : size > 0 && size < (int)FOLLOW_PART_MAX ? (uint64_t)size
							      : FOLLOW_PART_MAX;
	if (!add_step(evaluation->steps, step, &index))
		return false;
	step = (struct follow_step){ .base = FOLLOW_WORDS + index, .size = TEXT_SIZE };
	return !is_text || add_step(evaluation->steps, step, &index);
}

static bool evaluate(struct evaluation *evaluation, const struct value_expression *expression,
		     Dwarf_Die *variable)
{
	struct value_place place = { .bit = 0 };

	if (value_expression_find(expression, variable, &evaluation->frame, &place))
		return false;
	Dwarf_Die plain = place.type;
	return value_type_plain(&plain) && add_object(evaluation, &place, leads_to_text(&plain));
}

bool leaf_steps_add(struct follow_rule *steps, const struct debug_frame *leaf, unsigned sp,
		    const struct value_expression *expression, Dwarf_Die *variable)
{
	struct follow_rule found[2] = { *steps, *steps };

	/* With other numbers, steps that only looked as if they led there are others. */
	for (unsigned i = 0; i < 2; i++) {
		struct evaluation evaluation;

		begin(&evaluation, leaf, sp, i * (uint64_t)N_BASES, &found[i]);
		if (!evaluate(&evaluation, expression, variable))
			return false;
	}
	if (memcmp(&found[0], &found[1], sizeof(found[0])) != 0)
		return false;
	*steps = found[0];
	return true;
}
