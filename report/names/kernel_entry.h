/* Why the kernel was entered, by the names of the functions that it was entered through. */
#ifndef REPORT_NAMES_KERNEL_ENTRY_H
#define REPORT_NAMES_KERNEL_ENTRY_H

enum kernel_entry_kind {
	KERNEL_ENTRY_UNKNOWN,     /* the name is not one of an entry */
	KERNEL_ENTRY_GATE,        /* of all system calls: the next function decides */
	KERNEL_ENTRY_SYSTEM_CALL, /* a system call's function */
	KERNEL_ENTRY_EXIT,        /* beside the function of a system call, on its way in or out */
	KERNEL_ENTRY_INTERRUPT,
	KERNEL_ENTRY_PAGE_FAULT,
	KERNEL_ENTRY_EXCEPTION,
	KERNEL_ENTRY_FORK, /* the begin of a new thread, of user code or of the kernel */
	KERNEL_ENTRY_IDLE, /* a processor's idle task */
};

struct kernel_entry {
	enum kernel_entry_kind kind;
	/* A system call as users know it: "read" for __x64_sys_read and ksys_read. Part of the
	 * function's name, or static; else NULL. */
	const char *call;
};

/* @name: of a function of the kernel, without a suffix of a clone. */
struct kernel_entry kernel_entry_of(const char *name);

#endif
