/*
 * PLT entries of AArch64: adrp x16, page; ldr x17, [x16, #offset], possibly after `bti c`.
 * Instructions are little-endian whatever the data is.
 */
#include "report/code/plt.h"

static uint32_t instruction(const uint8_t *code)
{
	return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

static bool is_adrp_x16(uint32_t insn)
{
	return (insn & 0x9f00001fu) == 0x90000010u;
}

static bool is_ldr_x17_x16(uint32_t insn)
{
	return (insn & 0xffc003ffu) == 0xf9400211u;
}

bool plt_decode_aarch64(const uint8_t *code, size_t size, const struct plt_place *place,
			uint64_t *slot_ret)
{
	for (size_t i = 0; i + 8 <= size; i += 4) {
		uint32_t adrp = instruction(code + i), ldr = instruction(code + i + 4);
		uint64_t pages;

		if (!is_adrp_x16(adrp) || !is_ldr_x17_x16(ldr))
			continue;
		pages = (adrp >> 29 & 3) | (uint64_t)(adrp >> 5 & 0x7ffff) << 2;
		pages = (pages ^ (1u << 20)) - (1u << 20); /* a signed number of 21 bits */
		*slot_ret = ((place->vaddr + i) & ~(uint64_t)0xfff) + (pages << 12) +
			    (ldr >> 10 & 0xfff) * 8;
		return true;
	}
	return false;
}
