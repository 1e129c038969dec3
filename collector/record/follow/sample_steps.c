#include "collector/record/follow/sample_steps.h"

#include <dwarf.h>
#include <string.h>

#include "report/values/value_text.h"
#include "report/values/value_types.h"

#define SP_X86_64 7
#define N_X86_64  16
/* Registers that are saved on the stack, by their numbers, after what steps have as bases. */
#define SAVED       (FOLLOW_WORDS + FOLLOW_STEPS_MAX)
#define N_BASES     (SAVED + FOLLOW_NOTHING)
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
	const struct steps_frame *of;
	struct follow_rule *steps;
};

/* Multiples of an odd number near 2^64 divided by the golden ratio lie far apart. */
static uint64_t number_of(const struct evaluation *evaluation, uint64_t base)
{
	return (evaluation->seed + base + 1) * 0x9e3779b97f4a7c15;
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

/* What the distance is counted from, which may be a word that is to be read first. */
static bool begin_step(struct evaluation *evaluation, uint64_t base, int64_t offset,
		       struct follow_step *step)
{
	const struct steps_frame *of = evaluation->of;
	uint64_t index = base - FOLLOW_WORDS;

	if (base >= SAVED) {
		const uint64_t at = of->registers[base - SAVED].addr - of->sampled_sp;
		const struct follow_step saved = { .base = of->sp, .offset = at, .size = WORD };

		if (!add_step(evaluation->steps, saved, &index))
			return false;
		base = FOLLOW_WORDS + index;
	}
	*step = (struct follow_step){ .base = base, .offset = (uint64_t)offset };
	return true;
}

/* An address of the process itself has no base. */
static bool find_base(struct evaluation *evaluation, uint64_t addr, struct follow_step *step)
{
	for (uint64_t base = 0; base < N_BASES; base++) {
		const int64_t offset = (int64_t)(addr - number_of(evaluation, base));

		if (base != FOLLOW_NOTHING && offset >= -DISTANCE && offset <= DISTANCE)
			return begin_step(evaluation, base, offset, step);
	}
	*step = (struct follow_step){ .base = FOLLOW_NOTHING, .offset = addr };
	return addr < ADDRESS_MAX;
}

/* Reads an address from made-up memory. */
static bool read_word(void *data, uint64_t addr, size_t size, uint8_t *bytes_ret)
{
	struct evaluation *evaluation = data;
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

/* The number that stands for a register, and whether there is one. */
static bool make_register(const struct evaluation *evaluation, unsigned i, uint64_t *number_ret)
{
	const struct steps_frame *of = evaluation->of;

	/* The distances are the same each time, but in functions with alloca(). */
	if (i == of->sp) {
		*number_ret = number_of(evaluation, i) + (of->debug->registers[i] - of->sampled_sp);
		return true;
	}
	*number_ret = number_of(
		evaluation, of->registers[i].where == SAVED_IN_MEMORY ? SAVED + (uint64_t)i : i);
	return of->registers[i].where != SAVED_NOT_KNOWN;
}

static void begin(struct evaluation *evaluation, const struct steps_frame *of, uint64_t seed,
		  struct follow_rule *steps)
{
	const unsigned n = of->sp == SP_X86_64 ? N_X86_64 : FOLLOW_NOTHING;
	uint64_t known = 0;

	*evaluation = (struct evaluation){
		.process = { read_word, find_no_caller, evaluation },
		.frame = *of->debug,
		.seed = seed,
		.of = of,
		.steps = steps,
	};
	for (unsigned i = 0; i < n; i++)
		if (make_register(evaluation, i, &evaluation->registers[i]))
			known |= 1ull << i;
	evaluation->frame.process = &evaluation->process;
	evaluation->frame.registers = evaluation->registers;
	evaluation->frame.known &= known;
	evaluation->frame.cfa = number_of(evaluation, of->sp) + (of->debug->cfa - of->sampled_sp);
	evaluation->frame.has_cfa &= of->debug->known >> of->sp & 1;
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
		if (!find_base(evaluation, evaluation->registers[piece->value], &step))
			return false;
		step.size = TEXT_SIZE;
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

bool sample_steps_add(struct follow_rule *steps, const struct steps_frame *frame,
		      const struct value_expression *expression, Dwarf_Die *variable)
{
	struct follow_rule found[2] = { *steps, *steps };

	/* With other numbers, steps that only looked as if they led there are others. */
	for (unsigned i = 0; i < 2; i++) {
		struct evaluation evaluation;

		begin(&evaluation, frame, i * (uint64_t)N_BASES, &found[i]);
		if (!evaluate(&evaluation, expression, variable))
			return false;
	}
	if (memcmp(&found[0], &found[1], sizeof(found[0])) != 0)
		return false;
	*steps = found[0];
	return true;
}
