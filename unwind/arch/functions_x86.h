/* Where x86 functions begin, by their instructions; main() among them. */
#ifndef UNWIND_ARCH_FUNCTIONS_X86_H
#define UNWIND_ARCH_FUNCTIONS_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For both's @is_function_start. */
bool x86_is_function_start(const uint8_t *code, size_t size, uint64_t misalignment);
/* For both's @clears_frame_pointer. */
bool x86_clears_frame_pointer(const uint8_t *code, size_t size);
/* For both's @mark_function_starts. */
void x86_mark_function_starts(const uint8_t *code, size_t size, uint64_t *bits);
/* For x86-64's @find_main. */
bool x86_64_find_main(const uint8_t *entry, size_t size, uint64_t addr, uint64_t *main_ret);

#endif
