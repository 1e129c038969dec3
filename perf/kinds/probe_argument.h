/*
 * Arguments of probes by their numbers, arg1 and so on, as the kernel fetches them
 * (Documentation/trace/uprobetracer.rst): those of a function that is entered, where the ABI puts
 * them, and those of a static probe, which its note describes in the words of the assembler.
 */
#ifndef PERF_KINDS_PROBE_ARGUMENT_H
#define PERF_KINDS_PROBE_ARGUMENT_H

#include <stdbool.h>

#include "perf/events/event_value.h"

struct probe_argument {
	unsigned number; /* from 1 */
	bool is_string;  /* str(arg1): it points to a text */
};

/* "arg1" or "str(arg1)". */
bool probe_argument_parse(const char *text, struct probe_argument *argument_ret);

/* NULL, or why not, as a part of a sentence: "is ...". @machine: EM_X86_64 or EM_AARCH64; others
 * are refused. */
const char *probe_argument_of_call(const struct probe_argument *argument, uint16_t machine,
				   struct event_fetch *fetch_ret);
/* @arguments: of the probe, "-4@%edi 8@16(%rsp,%rax,8)"; from a file. */
const char *probe_argument_of_note(const struct probe_argument *argument, uint16_t machine,
				   const char *arguments, struct event_fetch *fetch_ret);
/* The type of an integer in uprobe_events: "s32". @size: 1, 2, 4 or 8 bytes. */
const char *probe_argument_type(bool is_signed, unsigned size);
/* The register with this DWARF number as uprobe_events names it, "di". NULL: none. */
const char *probe_argument_register(uint16_t machine, unsigned number);

#endif
