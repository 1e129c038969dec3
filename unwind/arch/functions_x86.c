#include "unwind/arch/functions_x86.h"

#include <string.h>

#include "unwind/arch/decode_x86.h"

/* The size of the one- and many-byte NOPs, and of INT3, that @code begins with. */
static size_t padding_size(const uint8_t *code, size_t size)
{
	size_t at = 0;

	while (at < size) {
		size_t prefixes = 0;
		struct machine_instruction what;

		while (at + prefixes < size &&
		       (code[at + prefixes] == 0x66 || code[at + prefixes] == 0x2e))
			prefixes++;
		const uint8_t *opcode = code + at + prefixes;
		size_t left = size - at - prefixes;
		bool is_nop = left && (opcode[0] == 0x90 || opcode[0] == 0xcc);
		bool is_long_nop = left > 1 && opcode[0] == 0x0f && opcode[1] == 0x1f;
		if (is_nop)
			at += prefixes + 1;
		else if (is_long_nop && x86_64_decode(code + at, size - at, &what))
			at += what.size;
		else
			break;
	}
	return at;
}

static bool begins_with(const uint8_t *code, size_t size, const void *bytes, size_t n)
{
	return size >= n && !memcmp(code, bytes, n);
}

/* Pushes of registers that calls leave alone, and space for locals. */
static bool begins_a_frame(const uint8_t *code, size_t size)
{
	if (begins_with(code, size, "\x48\x83\xec", 3) ||
	    begins_with(code, size, "\x48\x81\xec", 3))
		return true;
	if (size > 1 && code[0] == 0x41)
		return code[1] >= 0x54 && code[1] <= 0x57;
	return size && (code[0] == 0x53 || code[0] == 0x55);
}

bool x86_is_function_start(const uint8_t *code, size_t size, uint64_t misalignment)
{
	size_t padding = padding_size(code, size < 64 ? size : 64);
	bool is_aligned = (misalignment + padding) % 16 == 0;

	return (is_aligned && (padding || begins_a_frame(code, size))) ||
	       begins_with(code, size, "\xf3\x0f\x1e", 3) ||
	       begins_with(code, size, "\x55\x48\x89\xe5", 4) ||
	       begins_with(code, size, "\x55\x89\xe5", 3);
}

/* `xor %ebp,%ebp` */
bool x86_clears_frame_pointer(const uint8_t *code, size_t size)
{
	for (size_t at = 0; at + 2 <= size; at++)
		if ((code[at] == 0x31 || code[at] == 0x33) && code[at + 1] == 0xed)
			return true;
	return false;
}

/* CALL, and LEA of an address relative to the pc. */
void x86_mark_function_starts(const uint8_t *code, size_t size, uint64_t *bits)
{
	int32_t distance;

	for (size_t at = 0; at + 7 <= size; at++) {
		size_t opcode_size = 0;

		if (code[at] == 0xe8)
			opcode_size = 1;
		else if (code[at] == 0x8d && (code[at + 1] & 0xc7) == 5)
			opcode_size = 2;
		if (!opcode_size)
			continue;
		memcpy(&distance, code + at + opcode_size, sizeof(distance));
		uint64_t target = at + opcode_size + 4 + (uint64_t)(int64_t)distance;
		if (target < size)
			bits[target / 64] |= 1ull << target % 64;
	}
}

bool x86_64_find_main(const uint8_t *entry, size_t size, uint64_t addr, uint64_t *main_ret)
{
	static const uint8_t lea[] = { 0x48, 0x8d, 0x3d }, mov[] = { 0x48, 0xc7, 0xc7 };
	struct machine_instruction what;
	int32_t value;

	for (size_t at = 0; at < size && x86_64_decode(entry + at, size - at, &what);
	     at += what.size) {
		if (what.size < 5)
			continue;
		memcpy(&value, entry + at + what.size - sizeof(value), sizeof(value));
		bool is_relative = what.size == 7 && !memcmp(entry + at, lea, sizeof(lea));
		bool is_absolute = what.size == 7 && !memcmp(entry + at, mov, sizeof(mov));
		if (is_relative || is_absolute || (what.size == 5 && entry[at] == 0xbf)) {
			*main_ret = (uint64_t)(int64_t)value;
			if (is_relative)
				*main_ret += addr + at + what.size;
			return true;
		}
	}
	return false;
}
