/* From the jump back to the load all has one form; before that, instructions are decoded. */
#include "unwind/arch/switch_x86_64.h"

#include <string.h>

#include "unwind/arch/decode_x86.h"
#include "unwind/rules/machine_instruction.h"

/* From the comparison to the load: bytes. */
#define DISTANCE_MAX 64

enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };

static bool is_rex_w(uint8_t byte)
{
	return (byte & 0xf8) == 0x48;
}

/* `add BASE,TO` at the end of code, in either encoding. */
static bool ends_in_add(const uint8_t *code, size_t size, uint8_t *base_ret, uint8_t *to_ret)
{
	if (size < 3)
		return false;
	const uint8_t rex = code[size - 3], opcode = code[size - 2], modrm = code[size - 1];
	const uint8_t reg = (modrm >> 3 & 7) | (rex & REX_R ? 8 : 0);
	const uint8_t rm = (modrm & 7) | (rex & REX_B ? 8 : 0);

	if (!is_rex_w(rex) || (opcode != 0x01 && opcode != 0x03) || modrm >> 6 != 3)
		return false;
	*base_ret = opcode == 0x01 ? reg : rm;
	*to_ret = opcode == 0x01 ? rm : reg;
	return true;
}

/* `movslq (BASE,index,4),TO` at the end of code: its size, 0: it is something else. */
static size_t load_size(const uint8_t *code, size_t size, uint8_t base, uint8_t to)
{
	const bool has_zero = (base & 7) == 5; /* no base without a displacement */
	const size_t n = 4 + has_zero;

	if (size < n)
		return 0;
	code += size - n;
	const uint8_t rex = code[0], modrm = code[2], sib = code[3];
	const bool is_form =
		is_rex_w(rex) && code[1] == 0x63 && (modrm & 0xc7) == 4 + 0x40 * has_zero;
	const bool is_same = ((sib & 7) | (rex & REX_B ? 8 : 0)) == base &&
			     ((modrm >> 3 & 7) | (rex & REX_R ? 8 : 0)) == to;

	return is_form && is_same && sib >> 6 == 2 && (!has_zero || !code[4]) ? n : 0;
}

/* The last value that `cmp`, the @size bytes at @code, lets `ja` pass. false: another one. */
static bool compared_with(const uint8_t *code, size_t size, uint32_t *last_ret)
{
	const size_t rex = (code[0] & 0xf0) == 0x40;
	const uint8_t opcode = code[rex];
	uint8_t narrow;
	int32_t wide;

	if (size < rex + 2 || (opcode >= 0x80 && opcode <= 0x83 && (code[rex + 1] >> 3 & 7) != 7))
		return false;
	if (opcode == 0x3c || opcode == 0x80 || opcode == 0x83) {
		memcpy(&narrow, code + size - sizeof(narrow), sizeof(narrow));
		wide = (int32_t)(narrow ^ 0x80) - 0x80; /* the sign is extended */
	} else if ((opcode == 0x3d || opcode == 0x81) && size >= rex + 1 + sizeof(wide)) {
		memcpy(&wide, code + size - sizeof(wide), sizeof(wide));
	} else {
		return false;
	}
	*last_ret = opcode == 0x3c || opcode == 0x80 ? (uint8_t)wide : (uint32_t)wide;
	return true;
}

static bool is_jump_if_above(const uint8_t *code, size_t size)
{
	return (size == 2 && code[0] == 0x77) || (size == 6 && code[0] == 0x0f && code[1] == 0x87);
}

/* `cmp; ja`, and a straight line from there to the end of the code. */
static bool leads_on(const uint8_t *code, size_t size, uint32_t *last_ret)
{
	struct machine_instruction what;

	if (!x86_64_decode(code, size, &what) || !compared_with(code, what.size, last_ret))
		return false;
	size_t at = what.size;
	if (!x86_64_decode(code + at, size - at, &what) || !is_jump_if_above(code + at, what.size))
		return false;
	for (at += what.size; at < size; at += what.size)
		if (!x86_64_decode(code + at, size - at, &what) || what.flow != FLOW_NEXT)
			return false;
	return true;
}

bool x86_64_find_switch(const uint8_t *code, size_t size, struct jump_by_table *ret)
{
	uint8_t base, to;
	uint32_t last;

	if (!ends_in_add(code, size, &base, &to))
		return false;
	const size_t load = load_size(code, size - 3, base, to);
	if (!load)
		return false;
	size -= 3 + load;
	for (size_t back = 4; back <= DISTANCE_MAX && back <= size; back++) {
		if (!leads_on(code + size - back, back, &last) || last >= JUMP_ENTRIES_MAX)
			continue;
		*ret = (struct jump_by_table){ .base = base, .to = to, .n_entries = last + 1 };
		return true;
	}
	return false;
}

bool x86_64_loads_table(const uint8_t *code, size_t size, uint8_t base, int64_t *distance_ret)
{
	const size_t n = 7;
	int32_t displacement;

	if (size < n || (code[0] & 0xfb) != 0x48 || code[1] != 0x8d || (code[2] & 0xc7) != 0x05 ||
	    ((code[2] >> 3 & 7) | (code[0] & REX_R ? 8 : 0)) != base)
		return false;
	memcpy(&displacement, code + 3, sizeof(displacement));
	*distance_ret = (int64_t)n + displacement;
	return true;
}
