/*
 * PLT entries of x86-64 (psABI, "Procedure Linkage Table"): every kind of entry (.plt, .plt.sec
 * with endbr64, .plt.got) contains one `jmp *slot(%rip)`, ff 25 and a 32-bit displacement.
 */
#include <string.h>

#include "report/code/plt.h"

#define JUMP_SIZE 6

bool plt_decode_x86_64(const uint8_t *code, size_t size, const struct plt_place *place,
		       uint64_t *slot_ret)
{
	for (size_t i = 0; i + JUMP_SIZE <= size; i++) {
		int32_t displacement;

		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		memcpy(&displacement, code + i + 2, sizeof(displacement));
		*slot_ret = place->vaddr + i + JUMP_SIZE + (uint64_t)(int64_t)displacement;
		return true;
	}
	return false;
}
