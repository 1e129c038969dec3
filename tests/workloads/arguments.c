/*
 * arguments [SECONDS]: calls paint() ten times a round, with arguments whose shares are known, and
 * with the same work each time: five calls with RED, three with GREEN, two with BLUE. What paint()
 * needs after its work, it has from where the compiler keeps it. stroke() is inlined into it, and
 * calls rub() for half of the work: paint() is no leaf, which would keep its variables below the
 * stack pointer.
 */
#include <stdio.h>

#include "tests/workloads/work.h"

enum colour { RED, GREEN = 5, BLUE = -2 };

struct point {
	int x, y;
	unsigned is_far : 1, layer : 3;
};

struct canvas {
	const char *title;
	struct point at;
};

static unsigned long painted;

FUNCTION static void rub(unsigned n_units)
{
	units(n_units);
	KEEP_FRAME();
}

static inline __attribute__((always_inline)) void stroke(unsigned width, unsigned n_units)
{
	units(n_units / 2);
	rub(n_units - n_units / 2);
	painted += width;
}

FUNCTION static void paint(enum colour colour, unsigned size, const char *name,
			   const struct canvas *canvas, char mark, unsigned n_units)
{
	struct point middle = { canvas->at.x + 1, canvas->at.y, 1, 5 };

	stroke(size + 1, n_units);
	painted += (unsigned long)size + (unsigned long)colour + (unsigned char)*name +
		   (unsigned long)middle.x + (unsigned char)mark + middle.layer;
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	static const enum colour colours[10] = { RED, GREEN, BLUE, RED,   RED,
						 RED, GREEN, BLUE, GREEN, RED };
	const struct canvas canvas = { "a canvas", { -3, 1000, 0, 2 } };
	struct rounds rounds = rounds_begin(argc, argv);

	for (unsigned n; (n = rounds_next(&rounds)) > 0;) {
		for (unsigned i = 0; i < 10; i++)
			paint(colours[i], 1u << i, colours[i] == RED ? "warm" : "cold", &canvas,
			      (char)('a' + i % 2), n);
	}
	printf("%lu\n", painted);
	return 0;
}
