/*
 * What can be asked of a variable, in C's words: `p->field`, `this->member`, `a[3]`, `*p`,
 * `(*p).a.b[2]`. Without operators on values, calls and casts, each expression is the name of a
 * variable and steps from there, which are taken one after the other.
 *
 * Texts come from the command line, types from files: lengths, steps and searches are bounded.
 */
#ifndef REPORT_VALUES_VALUE_EXPRESSION_H
#define REPORT_VALUES_VALUE_EXPRESSION_H

#include "report/dwarf/debug_pieces.h"

#define VALUE_EXPRESSION_MAX 256 /* bytes of a text */
#define VALUE_STEPS_MAX      32

enum value_step_kind {
	STEP_MEMBER,   /* the member @name */
	STEP_ELEMENT,  /* the element @index of an array, or of what a pointer leads to */
	STEP_INDIRECT, /* what a pointer leads to */
};

struct value_step {
	enum value_step_kind kind;
	const char *name; /* in the expression's names */
	int64_t index;
};

struct value_expression {
	char text[VALUE_EXPRESSION_MAX + 1];
	char names[2 * VALUE_EXPRESSION_MAX]; /* each with a 0 at its end */
	const char *variable;                 /* in @names; so the struct must stay where it is */
	struct value_step steps[VALUE_STEPS_MAX];
	size_t n_steps;
};

/* NULL, or what is wrong with @text, as a part of a sentence. */
const char *value_expression_parse(struct value_expression *expression, const char *text);

/* Where an expression has led to. */
struct value_place {
	struct debug_location location;
	Dwarf_Die type;  /* as declared: with typedefs and qualifiers */
	uint64_t bit;    /* in the object at @location */
	uint64_t n_bits; /* of a bit-field; 0: as the type has */
};

/*
 * Finds the object of the expression, whose variable is described by @variable. A reason: it is
 * not known where it is; DEBUG_NO_SUCH_PART: the types do not allow a step.
 */
enum debug_reason value_expression_find(const struct value_expression *expression,
					Dwarf_Die *variable, const struct debug_frame *frame,
					struct value_place *place);

#endif
