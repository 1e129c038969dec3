// C++: std::sort calls back, exceptions unwind the stack; each for two callers with work 1:2.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "work.h"

struct Costly_less {
	FUNCTION bool operator()(int a, int b) const
	{
		unit();
		KEEP_FRAME();
		return a < b;
	}
};

static FUNCTION void sort_values(unsigned times)
{
	static const std::vector<int> values = { 5,  3,  9,  1,  7,  2,  8,  6,  4,  0,  15, 13,
						 19, 11, 17, 12, 18, 16, 14, 10, 25, 23, 29, 21 };
	for (unsigned i = 0; i < times; i++) {
		std::vector<int> copy(values);
		std::sort(copy.begin(), copy.end(), Costly_less());
		KEEP_FRAME();
	}
}

static FUNCTION void sort_1()
{
	sort_values(1);
	KEEP_FRAME();
}

static FUNCTION void sort_2()
{
	sort_values(2);
	KEEP_FRAME();
}

static FUNCTION void throw_from_below(unsigned depth)
{
	if (!depth)
		throw std::runtime_error("from below");
	throw_from_below(depth - 1);
	KEEP_FRAME();
}

static FUNCTION unsigned catch_many(unsigned times)
{
	unsigned n_caught = 0;

	for (unsigned i = 0; i < times; i++) {
		try {
			throw_from_below(20);
		} catch (const std::runtime_error &) {
			n_caught++;
		}
	}
	return n_caught;
}

static FUNCTION unsigned catch_1(unsigned n)
{
	unsigned n_caught = catch_many(n);

	KEEP_FRAME();
	return n_caught;
}

static FUNCTION unsigned catch_2(unsigned n)
{
	unsigned n_caught = catch_many(2 * n);

	KEEP_FRAME();
	return n_caught;
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	unsigned n;

	while ((n = rounds_next(&rounds))) {
		sort_1();
		sort_2();
		if (catch_1(8 * n) + catch_2(8 * n) != 24 * n)
			return 1;
	}
	return 0;
}
