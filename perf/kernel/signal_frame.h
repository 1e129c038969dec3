/*
 * Where x86-64's kernel puts the frame of a signal whose handler runs on an alternate stack: below
 * the state of the vector registers, whose size depends on the processor
 * (arch/x86/kernel/signal.c, get_sigframe(); arch/x86/kernel/fpu/signal.c).
 */
#ifndef PERF_KERNEL_SIGNAL_FRAME_H
#define PERF_KERNEL_SIGNAL_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define SIGNAL_FRAME_STATES_MAX 2

/*
 * The sizes that the state of the vector registers can have: of threads that may not, and of those
 * that may, use AMX, whose registers are saved on request only. Returns how many; 0: not known.
 */
size_t signal_frame_states(uint32_t sizes_ret[SIGNAL_FRAME_STATES_MAX]);

#endif
