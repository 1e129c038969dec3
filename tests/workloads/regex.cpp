// A fixed amount of C++ work, about 3 s: regular expressions, maps and recursion. Prints the user
// and wall seconds of the work itself, so that a profiler's own time is not in them.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <regex>
#include <string>
#include <sys/resource.h>

static std::string text_of(unsigned seed)
{
	std::string text;
	for (int i = 0; i < 60; i++) {
		seed = seed * 1664525u + 1013904223u;
		text += static_cast<char>('a' + (seed >> 24) % 26);
		if (seed % 7 == 0)
			text += std::to_string(seed % 1000) + " ";
	}
	return text;
}

static __attribute__((noinline)) unsigned count_matches(const std::regex &pattern, unsigned rounds)
{
	std::map<std::string, unsigned> found;
	for (unsigned i = 0; i < rounds; i++) {
		std::string text = text_of(i);
		for (std::sregex_iterator match(text.begin(), text.end(), pattern), end;
		     match != end; ++match)
			found[match->str(1)]++;
	}
	return static_cast<unsigned>(found.size());
}

static double user_seconds()
{
	rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return static_cast<double>(usage.ru_utime.tv_sec) +
	       1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? static_cast<unsigned>(atoi(argv[1])) : 950000;
	auto start = std::chrono::steady_clock::now();
	std::regex pattern("([a-f]+)[g-z]*([0-9]+) ");
	unsigned found = count_matches(pattern, rounds);
	std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
	std::printf("%u %.4f %.4f\n", found, user_seconds(), wall.count());
	return 0;
}
