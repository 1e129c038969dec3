/*
 * Whether threads can be watched with the processor's debug registers (PERF_TYPE_BREAKPOINT), and
 * without danger to them.
 *
 * Some hypervisors (PVM, which runs guests without the processor's help) let a guest's kernel set
 * its debug registers, and nothing comes of it: what is watched seems never to be touched. So one
 * word is watched and written for trial.
 *
 * KVM before Linux 6.14 may write an old value over the guest's debug status register (DR6) between
 * a breakpoint's exception and the moment at which the guest reads the register, if the timer of an
 * Intel processor (the VMX preemption timer) ends that stretch of the guest's code: KVM then enters
 * the guest again by a short way, which loads the register from the last value that it knew
 * (arch/x86/kvm, mended by "KVM: x86: Load DR6 with guest value only before entering .vcpu_run()
 * loop"). The guest's kernel finds no breakpoint in the register, takes the exception for the
 * instruction INT1 (exc_debug_user() in arch/x86/kernel/traps.c), and sends SIGTRAP, which ends a
 * program that does not handle it. On Intel processors one of 28 000 hits was seen to end so, on
 * AMD's none of 2 000 000. A guest cannot ask for its host's version.
 */
#ifndef PERF_KERNEL_DEBUG_REGISTERS_H
#define PERF_KERNEL_DEBUG_REGISTERS_H

#include <stdbool.h>

/* false: this is a virtual machine of KVM on an Intel processor. */
bool debug_registers_are_safe(void);
/* false: a word of this thread that was written to was not seen to be. True where it is not safe,
 * or not permitted, to watch it, or no register is free. */
bool debug_registers_work(void);

#endif
