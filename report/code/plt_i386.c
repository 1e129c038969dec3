/*
 * PLT entries of i386 (psABI, "Procedure Linkage Table"): every kind of entry contains one `jmp
 * *slot`, ff 25 and an address, or in position-independent code `jmp *offset(%ebx)`, ff a3 and the
 * distance from the global offset table.
 */
#include <string.h>

#include "report/code/plt.h"

#define JUMP_SIZE 6

bool plt_decode_i386(const uint8_t *code, size_t size, const struct plt_place *place,
		     uint64_t *slot_ret)
{
	for (size_t i = 0; i + JUMP_SIZE <= size; i++) {
		uint32_t operand;

		if (code[i] != 0xff || (code[i + 1] != 0x25 && code[i + 1] != 0xa3))
			continue;
		memcpy(&operand, code + i + 2, sizeof(operand));
		*slot_ret = (uint32_t)(code[i + 1] == 0xa3 ? place->got_vaddr + operand : operand);
		return true;
	}
	return false;
}
