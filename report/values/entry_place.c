#include "report/values/entry_place.h"

#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FIRST_WORD   (ENTRY_FILE_BASE + 1)
#define DISTANCE_MAX INT32_MAX /* from a base to what belongs to it */

static const unsigned shifts[ENTRY_SHIFTS] = { 0, 8, 16, 32 },
		      widths[ENTRY_WIDTHS] = { 64, 32, 16, 8, 1 };

static unsigned sp_of(const struct entry_point *entry)
{
	return entry->machine == EM_X86_64 ? 7 : 31;
}

static unsigned fp_of(const struct entry_point *entry)
{
	return entry->machine == EM_X86_64 ? 6 : 29;
}

/* Made up from the base and the evaluation: splitmix64 (Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", 2014). */
static uint64_t number_of(const struct entry_evaluation *evaluation, unsigned base)
{
	uint64_t number = (evaluation->seed + base + 1) * 0x9e3779b97f4a7c15;

	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
	number = (number ^ number >> 27) * 0x94d049bb133111eb;
	return number ^ number >> 31;
}

/* The base that an address was computed from. */
static bool find_base(const struct entry_evaluation *evaluation, uint64_t addr,
		      struct entry_spot *spot_ret)
{
	for (unsigned base = 0; base < evaluation->n_bases; base++) {
		const int64_t offset = (int64_t)(addr - number_of(evaluation, base));

		if (offset >= -DISTANCE_MAX && offset <= DISTANCE_MAX) {
			*spot_ret = (struct entry_spot){ base, offset };
			return true;
		}
	}
	return false;
}

/* Below the stack pointer at entry: written by the function's first instructions. */
static bool is_own_slot(const struct entry_evaluation *evaluation, const struct entry_spot *spot)
{
	return spot->base == sp_of(evaluation->entry) && spot->offset < 0;
}

static enum entry_stored find_stored(const struct entry_evaluation *evaluation,
				     const struct entry_spot *spot, size_t size, unsigned *reg_ret,
				     unsigned *byte_ret)
{
	return evaluation->code
		       ? entry_code_find(evaluation->code, spot->offset, size, reg_ret, byte_ret)
		       : ENTRY_NOT_STORED;
}

/* The base for the word at a spot, new or old. false: there are too many. */
static bool add_word(struct entry_evaluation *evaluation, const struct entry_spot *spot,
		     unsigned *base_ret)
{
	for (unsigned i = FIRST_WORD; i < evaluation->n_bases; i++) {
		if (evaluation->bases[i].parent == spot->base &&
		    evaluation->bases[i].offset == spot->offset) {
			*base_ret = i;
			return true;
		}
	}
	if (evaluation->n_bases == ENTRY_BASES_MAX)
		return false;
	*base_ret = evaluation->n_bases++;
	evaluation->bases[*base_ret] = (struct entry_base){ spot->base, spot->offset };
	return true;
}

/* Reads an address from made-up memory. */
static bool read_memory(void *data, uint64_t addr, size_t size, uint8_t *bytes_ret)
{
	struct entry_evaluation *evaluation = data;
	struct entry_spot spot;
	unsigned base, byte;

	if (size != 8 || !find_base(evaluation, addr, &spot))
		return false;
	if (is_own_slot(evaluation, &spot)) {
		const enum entry_stored stored = find_stored(evaluation, &spot, size, &base, &byte);

		evaluation->is_in_vector |= stored == ENTRY_STORED_VECTOR;
		if (stored != ENTRY_STORED || byte)
			return false;
	} else if (!add_word(evaluation, &spot, &base)) {
		return false;
	}
	const uint64_t number = number_of(evaluation, base);
	memcpy(bytes_ret, &number, sizeof(number));
	return true;
}

static const struct debug_frame *find_no_caller(void *data, const struct debug_frame *frame)
{
	(void)data;
	(void)frame;
	return NULL;
}

/* A register as the description of a place means it: pointers to the frame are set up by the first
 * instructions. false: it is not known. */
static bool find_register(const struct entry_evaluation *evaluation, unsigned reg, bool is_later,
			  uint64_t *number_ret)
{
	const struct entry_register *later = evaluation->code && reg < ENTRY_REGISTERS
						     ? &evaluation->code->registers[reg]
						     : NULL;
	const unsigned sp = sp_of(evaluation->entry);

	*number_ret = number_of(evaluation, reg);
	if (!is_later || (reg != sp && reg != fp_of(evaluation->entry)))
		return evaluation->entry->register_name(evaluation->entry->machine, reg);
	*number_ret = number_of(evaluation, sp) + (later ? (uint64_t)later->offset : 0);
	return later && later->is_known && later->reg == sp && later->n_bytes == 8;
}

void entry_evaluation_begin(struct entry_evaluation *evaluation, struct entry_point *entry,
			    const struct entry_code *code, unsigned index, bool is_later)
{
	uint64_t known = 0;

	*evaluation = (struct entry_evaluation){
		.process = { read_memory, find_no_caller, evaluation },
		.entry = entry,
		.code = code,
		.seed = index * (uint64_t)ENTRY_BASES_MAX,
		.n_bases = FIRST_WORD,
	};
	for (unsigned i = 0; i < ENTRY_REGISTERS_MAX; i++)
		if (find_register(evaluation, i, is_later, &evaluation->registers[i]))
			known |= 1ull << i;
	evaluation->frame = (struct debug_frame){
		.process = &evaluation->process,
		.registers = evaluation->registers,
		.known = known,
		/* Above the return address. */
		.cfa = number_of(evaluation, sp_of(entry)) + (entry->machine == EM_X86_64 ? 8 : 0),
		.has_cfa = true,
		.bias = number_of(evaluation, ENTRY_FILE_BASE) - entry->vaddr,
		.vaddr = entry->vaddr,
		.next_vaddr = entry->vaddr,
		.function = &entry->function,
	};
}

/* The value's bits as a part of one of the pieces. false: it lies in several. */
static bool find_piece(const struct debug_location *location, uint64_t bit, uint64_t n_bits,
		       const struct debug_piece **piece_ret, uint64_t *bit_ret)
{
	for (size_t i = 0; i < location->n_pieces; i++) {
		const struct debug_piece *piece = &location->pieces[i];

		if (!piece->n_bits || (bit < piece->n_bits && bit + n_bits <= piece->n_bits)) {
			*piece_ret = piece;
			*bit_ret = bit + piece->bit;
			return true;
		}
		if (bit < piece->n_bits)
			return false;
		bit -= piece->n_bits;
	}
	return false;
}

static void find_in_memory(const struct entry_evaluation *evaluation, uint64_t addr, uint64_t bit,
			   uint64_t n_bits, struct entry_place *found)
{
	found->kind = DEBUG_IN_MEMORY;
	found->bit = bit % 8;
	found->is_beyond = !find_base(evaluation, addr, &found->spot) || bit / 8 > DISTANCE_MAX;
	if (found->is_beyond)
		return;
	found->spot.offset += (int64_t)(bit / 8);
	if (!is_own_slot(evaluation, &found->spot))
		return;
	found->kind = DEBUG_IN_REGISTER;
	switch (find_stored(evaluation, &found->spot, (bit % 8 + n_bits + 7) / 8, &found->reg,
			    &found->byte)) {
	case ENTRY_STORED:
		break;
	case ENTRY_STORED_VECTOR:
		found->is_in_vector = true;
		break;
	case ENTRY_NOT_STORED:
		found->is_beyond = true;
	}
}

enum debug_reason entry_place_find(const struct entry_evaluation *evaluation,
				   const struct debug_location *location, uint64_t bit,
				   uint64_t n_bits, struct entry_place *found)
{
	const struct debug_piece *piece;
	uint64_t at;

	*found = (struct entry_place){ .kind = DEBUG_IN_REGISTER };
	if (!find_piece(location, bit, n_bits, &piece, &at)) {
		found->is_beyond = true;
		return DEBUG_KNOWN;
	}
	switch (piece->kind) {
	case DEBUG_IN_MEMORY:
		find_in_memory(evaluation, piece->value, at, n_bits, found);
		return DEBUG_KNOWN;
	case DEBUG_IN_REGISTER:
		found->reg = (unsigned)piece->value;
		found->byte = (unsigned)(at / 8);
		found->bit = at % 8;
		found->is_in_vector =
			!evaluation->entry->register_name(evaluation->entry->machine, found->reg);
		found->is_beyond = at + n_bits > 64;
		return DEBUG_KNOWN;
	case DEBUG_IS_VALUE:
		found->kind = DEBUG_IS_VALUE;
		found->is_constant = !find_base(evaluation, piece->value, &found->spot);
		found->constant = piece->value;
		found->is_beyond = at || (!found->is_constant && found->spot.offset);
		return DEBUG_KNOWN;
	case DEBUG_IS_BYTES:
		found->is_beyond = true;
		return DEBUG_KNOWN;
	case DEBUG_IS_MISSING:
		break;
	}
	return piece->reason;
}

/* Leaves those parts of registers that the number can be. */
static void narrow(const struct entry_evaluation *evaluation, uint64_t number, bool *parts)
{
	for (unsigned i = 0; i < ENTRY_PARTS; i++) {
		const unsigned width = widths[i % ENTRY_WIDTHS],
			       shift = shifts[i / ENTRY_WIDTHS % ENTRY_SHIFTS],
			       reg = i / ENTRY_WIDTHS / ENTRY_SHIFTS;
		const uint64_t mask = width < 64 ? (1ull << width) - 1 : UINT64_MAX;

		parts[i] &= width + shift <= 64 &&
			    number == (number_of(evaluation, reg) >> shift & mask);
	}
}

/* The only part that is left. false: none. */
static bool find_only(const bool *parts, struct entry_place *found)
{
	unsigned n = 0, only = 0;

	for (unsigned i = 0; i < ENTRY_PARTS; i++) {
		only = parts[i] ? i : only;
		n += parts[i];
	}
	if (n != 1)
		return false;
	*found = (struct entry_place){
		.kind = DEBUG_IN_REGISTER,
		.reg = only / ENTRY_WIDTHS / ENTRY_SHIFTS,
		.byte = shifts[only / ENTRY_WIDTHS % ENTRY_SHIFTS] / 8,
		.width = widths[only % ENTRY_WIDTHS],
	};
	return true;
}

static bool is_same(const struct entry_place *a, const struct entry_place *b)
{
	if (a->kind != b->kind || a->bit != b->bit || a->is_beyond != b->is_beyond ||
	    a->is_constant != b->is_constant)
		return false;
	if (a->kind == DEBUG_IN_REGISTER)
		return a->reg == b->reg && a->byte == b->byte;
	return a->is_constant ? a->constant == b->constant
			      : a->spot.base == b->spot.base && a->spot.offset == b->spot.offset;
}

static void append(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(char *text, const char *format, ...)
{
	const size_t n = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + n, ENTRY_PLACE_MAX - n, format, args);
	va_end(args);
}

/* The memory at a spot, "+8(+0(%di))". */
static void write_memory(const struct entry_evaluation *evaluation, struct entry_spot spot,
			 char *text)
{
	const struct entry_point *entry = evaluation->entry;
	unsigned n_open = 0;

	*text = '\0';
	while (spot.base >= FIRST_WORD) {
		const struct entry_base *word = &evaluation->bases[spot.base];

		append(text, "%+" PRId64 "(", spot.offset);
		spot = (struct entry_spot){ word->parent, word->offset };
		n_open++;
	}
	/* The kernel counts from where the file would begin if all of it were mapped at the same
	 * distance from its addresses as the probe's instruction. */
	if (spot.base == ENTRY_FILE_BASE)
		append(text, "@+0x%" PRIx64, (uint64_t)spot.offset + entry->offset);
	else
		append(text, "%+" PRId64 "(%%%s)", spot.offset,
		       entry->register_name(entry->machine, spot.base));
	while (n_open--)
		append(text, ")");
}

void entry_place_write(const struct entry_evaluation *evaluation, const struct entry_place *place,
		       char *text, bool *may_fail_ret)
{
	const struct entry_point *entry = evaluation->entry;
	const unsigned base = place->spot.base;

	*text = '\0';
	*may_fail_ret = false;
	if (place->kind == DEBUG_IN_MEMORY) {
		write_memory(evaluation, place->spot, text);
		*may_fail_ret = base != sp_of(entry) && base != ENTRY_FILE_BASE;
	} else if (place->kind == DEBUG_IN_REGISTER) {
		append(text, "%%%s", entry->register_name(entry->machine, place->reg));
	} else if (place->is_constant) {
		append(text, "\\%" PRIu64, place->constant);
	} else if (base >= FIRST_WORD) {
		const struct entry_base *word = &evaluation->bases[base];

		write_memory(evaluation, (struct entry_spot){ word->parent, word->offset }, text);
		*may_fail_ret = word->parent != sp_of(entry);
	} else {
		append(text, "%%%s", entry->register_name(entry->machine, base));
	}
}

void entry_findings_add(struct entry_findings *findings, const struct entry_evaluation *evaluation,
			const struct entry_place *found)
{
	if (!evaluation->seed) {
		findings->found = *found;
		findings->is_same = true;
		memset(findings->parts, true, sizeof(findings->parts));
	}
	findings->is_same &= is_same(&findings->found, found);
	if (found->kind == DEBUG_IS_VALUE && found->is_constant)
		narrow(evaluation, found->constant, findings->parts);
	else
		memset(findings->parts, false, sizeof(findings->parts));
}

void entry_findings_settle(struct entry_findings *findings)
{
	if (!findings->is_same && !find_only(findings->parts, &findings->found))
		findings->found.is_beyond = true;
}
