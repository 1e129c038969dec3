#include "report/code/x86_vector_size.h"

#define VEX2         0xc5
#define VEX3         0xc4
#define EVEX         0x62
#define VZEROUPPER   0x77
#define MOD_REGISTER 3
#define RM_SIB       4
#define BASE_DISP32  5

/* The size of the ModRM byte, SIB byte and displacement; 0: incomplete. */
static unsigned modrm_size(const uint8_t *code, size_t size)
{
	if (!size)
		return 0;
	unsigned mod = code[0] >> 6, rm = code[0] & 7, bytes = 1;

	if (mod == MOD_REGISTER)
		return 1;
	if (rm == RM_SIB) {
		if (size < 2)
			return 0;
		rm = code[1] & 7;
		bytes++;
	}
	if (mod == 1)
		return bytes + 1;
	return bytes + (mod == 2 || rm == BASE_DISP32 ? 4 : 0);
}

/* Maps 1 to 3 are 0F, 0F 38 and 0F 3A. */
static bool has_immediate(unsigned map, uint8_t opcode)
{
	if (map == 3)
		return true;
	return map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
			    (opcode >= 0xc4 && opcode <= 0xc6));
}

unsigned x86_vector_size(const uint8_t *code, size_t size, bool is_64)
{
	unsigned prefix, map = 1, modrm = 0;

	if (size < 3)
		return 0;
	/*
	 * With register operands, these are the instructions of group 7 without operands: rdpkru,
	 * wrpkru.
	 */
	if (code[0] == 0x0f && code[1] == 0x01 && code[2] >> 6 == MOD_REGISTER)
		return 3;
	/*
	 * Outside 64-bit mode these bytes are les, lds and bound, unless the operand is a register.
	 */
	if (!is_64 && code[1] >> 6 != MOD_REGISTER)
		return 0;
	switch (code[0]) {
	case VEX2:
		prefix = 2;
		break;
	case VEX3:
		prefix = 3;
		map = code[1] & 0x1f;
		break;
	case EVEX:
		prefix = 4;
		map = code[1] & 7;
		break;
	default:
		return 0;
	}
	if (!map || map > 6 || map == 4 || size <= prefix)
		return 0;
	uint8_t opcode = code[prefix];
	bool has_modrm = code[0] == EVEX || map != 1 || opcode != VZEROUPPER;
	if (has_modrm)
		modrm = modrm_size(code + prefix + 1, size - prefix - 1);
	if (has_modrm && !modrm)
		return 0;
	unsigned whole = prefix + 1 + modrm + has_immediate(map, opcode);
	return whole <= size ? whole : 0;
}
