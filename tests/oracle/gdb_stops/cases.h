/* Reads the stops that stop_and_walk.py wrote, up to what gdb found at each. */
#ifndef TESTS_ORACLE_GDB_STOPS_CASES_H
#define TESTS_ORACLE_GDB_STOPS_CASES_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "cct/model/module.h"
#include "unwind/rules/address_space.h"
#include "unwind/walk/unwind.h"

#define STACK_MAX 65528

struct cases {
	FILE *file; /* after cases_next(): at what gdb found */
	struct module_table modules;
	struct address_space *space;
	char maps[PATH_MAX];
	struct user_stack stack;
	uint8_t bytes[STACK_MAX];
};

/* Ends the program, as all errors do here. */
_Noreturn void give_up(const char *what);
void cases_init(struct cases *cases, const char *path);
void cases_deinit(struct cases *cases);
/* Reads the next stop's process, registers and stack. false: there is none. */
bool cases_next(struct cases *cases);

#endif
