/*
 * Functions that gcc splits and clones: a constant argument (.constprop), an argument by reference
 * (.isra). When it splits others depends on its version, so these parts are functions of
 * their own with the names that gcc would give them: .part and .cold. Further overloads, an inlined
 * function that has an out-of-line copy too, and a long name. Shares are known by counting units.
 */
#include <map>
#include <string>
#include <vector>

#include "work.h"

#define NOINLINE __attribute__((noinline))

/* Every caller passes the same constant. */
static NOINLINE void constant_argument(unsigned n, unsigned factor)
{
	units(n * factor);
}

struct options {
	unsigned n;
	int unused[16];
};

/* Only one member is read. */
static NOINLINE void by_reference(const options &options)
{
	units(options.n);
}

/* Where gcc jumps to, and calls stay below the function's callers. */
FUNCTION void seldom_cold(unsigned n) __asm__("_Z6seldomj.cold");
FUNCTION void seldom_cold(unsigned n)
{
	units(n);
}

FUNCTION void seldom(unsigned n)
{
	units(n);
}

/* What a function calls of itself. */
FUNCTION void early_part(unsigned n) __asm__("_Z5earlyj.part.0");
FUNCTION void early_part(unsigned n)
{
	units(2 * n);
}

FUNCTION void early(unsigned n)
{
	units(n);
	early_part(n);
	KEEP_FRAME();
}

FUNCTION void overload(int n)
{
	units((unsigned)n);
}

FUNCTION void overload(double n)
{
	units((unsigned)n);
}

using table = std::map<std::string, std::vector<std::pair<int, long>>>;

template <class Table> struct holder {
	FUNCTION void work_on(const Table &table, unsigned n)
	{
		units(n + (unsigned)table.size());
	}
};

/* Inlined here, and called by its address. */
static inline void copied(unsigned n)
{
	units(n);
}

FUNCTION void holds_copy(unsigned n)
{
	copied(n);
	KEEP_FRAME();
}

static void (*volatile by_address)(unsigned) = copied;

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	table empty;

	for (unsigned n; (n = rounds_next(&rounds));) {
		options options = { n, {} };

		constant_argument(n, 1);
		constant_argument(n, 1);
		by_reference(options);
		seldom(n);
		seldom_cold(n);
		early(n);
		overload((int)n);
		overload((double)n);
		holder<table>().work_on(empty, n);
		holds_copy(n);
		by_address(n);
	}
	return 0;
}
