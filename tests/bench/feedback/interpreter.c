/* An interpreter with a switch of many operations, which sorts, sieves and counts. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum operation {
	LOAD,
	STORE,
	CONSTANT,
	MOVE,
	ADD,
	SUBTRACT,
	MULTIPLY,
	DIVIDE,
	REMAINDER,
	AND,
	OR,
	XOR,
	SHIFT,
	NEGATE,
	LESS,
	EQUAL,
	JUMP,
	JUMP_IF,
	JUMP_UNLESS,
	INCREMENT,
	DECREMENT,
	SWAP,
	MINIMUM,
	MAXIMUM,
	CALL,
	RETURN,
	NOTHING,
	STOP,
};

struct instruction {
	uint8_t operation, a, b, c;
	int32_t value;
};

#define CELLS 4096

static int64_t cells[CELLS], registers[16];

static int64_t run(const struct instruction *code)
{
	uint32_t returns[64], depth = 0, at = 0;
	int64_t n = 0;

	for (;; n++) {
		const struct instruction *i = &code[at++];
		int64_t *r = registers;

		switch ((enum operation)i->operation) {
		case LOAD:
			r[i->a] = cells[(uint64_t)r[i->b] % CELLS];
			break;
		case STORE:
			cells[(uint64_t)r[i->b] % CELLS] = r[i->a];
			break;
		case CONSTANT:
			r[i->a] = i->value;
			break;
		case MOVE:
			r[i->a] = r[i->b];
			break;
		case ADD:
			r[i->a] = r[i->b] + r[i->c];
			break;
		case SUBTRACT:
			r[i->a] = r[i->b] - r[i->c];
			break;
		case MULTIPLY:
			r[i->a] = (int64_t)((uint64_t)r[i->b] * (uint64_t)r[i->c]);
			break;
		case DIVIDE:
			r[i->a] = r[i->c] ? r[i->b] / r[i->c] : 0;
			break;
		case REMAINDER:
			r[i->a] = r[i->c] ? r[i->b] % r[i->c] : 0;
			break;
		case AND:
			r[i->a] = r[i->b] & r[i->c];
			break;
		case OR:
			r[i->a] = r[i->b] | r[i->c];
			break;
		case XOR:
			r[i->a] = r[i->b] ^ r[i->c];
			break;
		case SHIFT:
			r[i->a] = (int64_t)((uint64_t)r[i->b] >> (r[i->c] & 63));
			break;
		case NEGATE:
			r[i->a] = -r[i->b];
			break;
		case LESS:
			r[i->a] = r[i->b] < r[i->c];
			break;
		case EQUAL:
			r[i->a] = r[i->b] == r[i->c];
			break;
		case JUMP:
			at = (uint32_t)i->value;
			break;
		case JUMP_IF:
			at = r[i->a] ? (uint32_t)i->value : at;
			break;
		case JUMP_UNLESS:
			at = r[i->a] ? at : (uint32_t)i->value;
			break;
		case INCREMENT:
			r[i->a]++;
			break;
		case DECREMENT:
			r[i->a]--;
			break;
		case SWAP: {
			const int64_t old = r[i->a];

			r[i->a] = r[i->b];
			r[i->b] = old;
			break;
		}
		case MINIMUM:
			r[i->a] = r[i->b] < r[i->c] ? r[i->b] : r[i->c];
			break;
		case MAXIMUM:
			r[i->a] = r[i->b] > r[i->c] ? r[i->b] : r[i->c];
			break;
		case CALL:
			returns[depth++ % 64] = at;
			at = (uint32_t)i->value;
			break;
		case RETURN:
			at = returns[--depth % 64];
			break;
		case NOTHING:
			break;
		case STOP:
			return n;
		}
	}
}

/* Fills cells with numbers, sorts them by insertion, and adds up every second one. */
static const struct instruction program[] = {
	{ CONSTANT, 0, 0, 0, 0 },       /* 0: i = 0 */
	{ CONSTANT, 1, 0, 0, 400 },     /* 1: n */
	{ CONSTANT, 2, 0, 0, 12345 },   /* 2: x */
	{ CONSTANT, 3, 0, 0, 1103515 }, /* 3 */
	{ CONSTANT, 9, 0, 0, 65521 },   /* 4 */
	{ MULTIPLY, 2, 2, 3, 0 },       /* 5: x = x * 1103515 % 65521 */
	{ REMAINDER, 2, 2, 9, 0 },      /* 6 */
	{ STORE, 2, 0, 0, 0 },          /* 7: cells[i] = x */
	{ INCREMENT, 0, 0, 0, 0 },      /* 8 */
	{ LESS, 4, 0, 1, 0 },           /* 9 */
	{ JUMP_IF, 4, 0, 0, 5 },        /* 10 */
	{ CONSTANT, 0, 0, 0, 1 },       /* 11: i = 1 */
	{ LOAD, 5, 0, 0, 0 },           /* 12: key = cells[i] */
	{ MOVE, 6, 0, 0, 0 },           /* 13: j = i */
	{ JUMP_UNLESS, 6, 0, 0, 23 },   /* 14 */
	{ MOVE, 7, 6, 0, 0 },           /* 15: k = j - 1 */
	{ DECREMENT, 7, 0, 0, 0 },      /* 16 */
	{ LOAD, 8, 7, 0, 0 },           /* 17 */
	{ LESS, 4, 5, 8, 0 },           /* 18 */
	{ JUMP_UNLESS, 4, 0, 0, 23 },   /* 19 */
	{ STORE, 8, 6, 0, 0 },          /* 20: cells[j] = cells[k] */
	{ MOVE, 6, 7, 0, 0 },           /* 21 */
	{ JUMP, 0, 0, 0, 14 },          /* 22 */
	{ STORE, 5, 6, 0, 0 },          /* 23: cells[j] = key */
	{ INCREMENT, 0, 0, 0, 0 },      /* 24 */
	{ LESS, 4, 0, 1, 0 },           /* 25 */
	{ JUMP_IF, 4, 0, 0, 12 },       /* 26 */
	{ CONSTANT, 0, 0, 0, 0 },       /* 27 */
	{ CONSTANT, 10, 0, 0, 0 },      /* 28 */
	{ CALL, 0, 0, 0, 33 },          /* 29 */
	{ LESS, 4, 0, 1, 0 },           /* 30 */
	{ JUMP_IF, 4, 0, 0, 29 },       /* 31 */
	{ STOP, 0, 0, 0, 0 },           /* 32 */
	{ LOAD, 5, 0, 0, 0 },           /* 33 */
	{ ADD, 10, 10, 5, 0 },          /* 34 */
	{ INCREMENT, 0, 0, 0, 0 },      /* 35 */
	{ INCREMENT, 0, 0, 0, 0 },      /* 36 */
	{ RETURN, 0, 0, 0, 0 },         /* 37 */
};

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 1;
	int64_t n = 0;

	for (int i = 0; i < rounds; i++)
		n += run(program);
	return n > 0 ? 0 : 1;
}
