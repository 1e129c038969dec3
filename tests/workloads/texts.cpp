// texts [SECONDS]: calls consume() four times a round with the same work each time: three times
// with a string that lies in its object, on the stack, and with a view of "warm"; once with a
// string whose text is on the heap, and with a view of "cold".
#include <string>
#include <string_view>

#include "work.h"

static volatile unsigned long consumed;

FUNCTION static void rub(unsigned n_units)
{
	units(n_units);
	consumed = consumed + 1;
}

FUNCTION static void consume(const std::string &name, std::string_view view, unsigned n_units)
{
	rub(n_units);
	consumed = consumed + name.size() + view.size();
}

int main(int argc, char **argv)
{
	const std::string in_place = "short", on_heap = "abcdefghijklmnopqrstuvwxyz";
	struct rounds rounds = rounds_begin(argc, argv);

	for (unsigned n; (n = rounds_next(&rounds)) > 0;)
		for (unsigned i = 0; i < 4; i++)
			consume(i ? in_place : on_heap, i ? "warm" : "cold", n);
	return 0;
}
