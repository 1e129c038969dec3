/*
 * Values that the kernel fetches when a probe is hit (the arguments of uprobe_events,
 * Documentation/trace/uprobetracer.rst), and how a sample's raw data tells them.
 */
#ifndef PERF_EVENTS_EVENT_VALUE_H
#define PERF_EVENTS_EVENT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_EXPRESSION_MAX 256 /* bytes */
#define EVENT_FETCH_MAX      512 /* bytes of an argument of uprobe_events */
#define EVENT_NAMES_MAX      2048

/* What a value is, which says how it is shown. */
enum event_value_kind {
	EVENT_VALUE_NONE,
	EVENT_VALUE_SIGNED,
	EVENT_VALUE_UNSIGNED,
	EVENT_VALUE_ADDRESS,
	EVENT_VALUE_BOOL,
	EVENT_VALUE_CHARACTER,
	EVENT_VALUE_BYTE, /* a character without a sign */
	EVENT_VALUE_FLOAT,
	EVENT_VALUE_STRING,
	EVENT_N_VALUE_KINDS,
};

/* "signed", ... */
const char *event_value_kind_name(enum event_value_kind kind);

/*
 * What a place in a process is for the kernel. Where the value is read from memory that the process
 * may not have, its first bytes are fetched as a string, too: an empty one says that they could not
 * be read, because of other values the kernel then leaves out what was there before.
 */
struct event_fetch {
	enum event_value_kind kind;
	uint8_t size;                   /* bytes: 1, 2, 4 or 8; a string's: 4, of its place */
	uint8_t n_bits;                 /* of a bit-field; 0: all */
	char argument[EVENT_FETCH_MAX]; /* with its type, "%di:s32" */
	char check[EVENT_FETCH_MAX];    /* "+8(%di):string"; "": it is always there */
	char names[EVENT_NAMES_MAX];    /* as in struct event_value */
};

/* A value in a sample's raw data. */
struct event_value {
	enum event_value_kind kind;          /* EVENT_VALUE_NONE: the samples have none */
	uint16_t offset;                     /* of a string: of the 4 bytes that tell its place */
	uint8_t size, n_bits;                /* as in struct event_fetch */
	uint16_t check;                      /* where the check's place is; 0: there is none */
	char name[EVENT_EXPRESSION_MAX + 1]; /* the expression */
	char names[EVENT_NAMES_MAX];         /* of numbers, "0=RED 7=GREEN -2=BLUE"; "": none */
};

/* The name of a number, of which the value's bits count; *@size_ret: its bytes. NULL: none. */
const char *event_value_find_name(const struct event_value *value, uint64_t number,
				  size_t *size_ret);

#endif
