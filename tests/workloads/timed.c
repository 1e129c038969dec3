/*
 * timed PROGRAM [SECONDS]: five programs that measure the CPU time of each of their functions
 * themselves, and print it: the truth for the flat profiles of tests/accuracy/distortion. Three
 * compute with integers (sorts, words, numbers), two with floating point numbers (matrices,
 * orbits). The clock is read around some calls of a function, which take 0.5 ms or more together:
 * around each it would be half a percent of the time, which no function has in the truth.
 */
#include <stdio.h>
#include <string.h>

#include "work.h"

#define N_MAX 16

static struct {
	const char *name;
	uint64_t ns;
} times[N_MAX];

static void add_time(const char *name, uint64_t ns)
{
	unsigned i = 0;

	while (times[i].name && strcmp(times[i].name, name) != 0)
		i++;
	times[i].name = name;
	times[i].ns += ns;
}

#define N_CALLS 10

#define TIMED(f, ...)                                  \
	do {                                           \
		uint64_t begin = cpu_time_ns();        \
		for (unsigned n = 0; n < N_CALLS; n++) \
			f(__VA_ARGS__);                \
		add_time(#f, cpu_time_ns() - begin);   \
	} while (0)

static uint32_t seed = 1;

static uint32_t next_random(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 8;
}

#define N_KEYS 20000

static uint32_t keys[N_KEYS], spare[N_KEYS];

static FUNCTION void fill_keys(void)
{
	for (unsigned i = 0; i < N_KEYS; i++)
		keys[i] = next_random();
}

static FUNCTION void shell_sort(unsigned n)
{
	for (unsigned gap = n / 2; gap; gap /= 2) {
		for (unsigned i = gap; i < n; i++) {
			uint32_t key = keys[i];
			unsigned at = i;

			for (; at >= gap && keys[at - gap] > key; at -= gap)
				keys[at] = keys[at - gap];
			keys[at] = key;
		}
	}
}

static FUNCTION void insertion_sort(unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		uint32_t key = keys[i];
		unsigned at = i;

		for (; at && keys[at - 1] > key; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

static FUNCTION void merge_sort(unsigned n)
{
	for (unsigned width = 1; width < n; width *= 2) {
		for (unsigned low = 0; low < n; low += 2 * width) {
			unsigned middle = low + width < n ? low + width : n;
			unsigned high = middle + width < n ? middle + width : n;

			for (unsigned a = low, b = middle, to = low; to < high; to++)
				spare[to] = b == high || (a < middle && keys[a] <= keys[b])
						    ? keys[a++]
						    : keys[b++];
		}
		for (unsigned i = 0; i < n; i++) {
			keys[i] = spare[i];
			KEEP_FRAME();
		}
	}
}

static void sorts(unsigned size)
{
	TIMED(fill_keys);
	TIMED(shell_sort, 200 * size);
	TIMED(fill_keys);
	TIMED(merge_sort, 250 * size);
	TIMED(fill_keys);
	TIMED(insertion_sort, 24 * size);
}

static char text[200000];
static uint32_t counts[4096];

static FUNCTION void write_text(void)
{
	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = "etaoin shrdlu e "[next_random() % 16];
}

static FUNCTION void count_words(unsigned n)
{
	uint32_t hash = 0;

	for (unsigned i = 0; i < n; i++) {
		if (text[i] == ' ') {
			counts[hash % 4096]++;
			hash = 0;
		} else {
			hash = 31 * hash + (unsigned char)text[i];
		}
	}
}

static FUNCTION void find_pairs(unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		counts[(unsigned char)text[i] * 16u + ((unsigned char)text[i - 1] & 15u)] +=
			text[i] > text[i - 1];
}

static FUNCTION void turn_words(unsigned n)
{
	for (unsigned begin = 0, end; begin < n; begin = end + 1) {
		for (end = begin; end < n && text[end] != ' ';)
			end++;
		for (unsigned a = begin, b = end; a + 1 < b; a++) {
			char c = text[a];

			text[a] = text[--b];
			text[b] = c;
		}
	}
}

static void words(unsigned size)
{
	TIMED(write_text);
	TIMED(count_words, 2500 * size);
	TIMED(turn_words, 2500 * size);
	TIMED(find_pairs, 1200 * size);
}

static volatile uint64_t result;

static FUNCTION void add_divisors(unsigned n)
{
	uint64_t sum = 0;

	for (unsigned a = 2; a < n; a++) {
		for (unsigned x = a, y = n; y;) {
			unsigned rest = x % y;

			x = y;
			y = rest;
			sum += x;
		}
	}
	result = sum;
}

static FUNCTION void strike_multiples(unsigned n)
{
	for (unsigned a = 2; a * a < n; a++) {
		for (unsigned b = a * a; b < n; b += a)
			text[b] = (char)a;
	}
}

static FUNCTION void follow_halves(unsigned n)
{
	uint64_t steps = 0;

	for (unsigned a = 1; a < n; a++) {
		for (uint64_t x = a; x > 1; steps++)
			x = x % 2 ? 3 * x + 1 : x / 2;
	}
	result = steps;
}

static void numbers(unsigned size)
{
	TIMED(add_divisors, 100 * size);
	TIMED(strike_multiples, 2000 * size);
	TIMED(follow_halves, 40 * size);
}

#define ORDER 160

static double a[ORDER][ORDER], b[ORDER][ORDER], c[ORDER][ORDER];

static FUNCTION void fill_matrices(void)
{
	for (unsigned i = 0; i < ORDER; i++) {
		for (unsigned j = 0; j < ORDER; j++) {
			a[i][j] = next_random() * 1e-7 + (i == j) * 1e3;
			b[i][j] = next_random() * 1e-7;
		}
	}
}

static FUNCTION void multiply(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j < n; j++) {
			double sum = 0;

			for (unsigned k = 0; k < n; k++)
				sum += a[i][k] * b[k][j];
			c[i][j] = sum;
		}
	}
	result = (uint64_t)c[n / 2][n / 3];
}

static FUNCTION void eliminate(unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		for (unsigned i = k + 1; i < n; i++) {
			double factor = a[i][k] / a[k][k];

			for (unsigned j = k; j < n; j++)
				a[i][j] -= factor * a[k][j];
		}
	}
}

static FUNCTION void smooth(unsigned n)
{
	for (unsigned round = 0; round < 8; round++) {
		for (unsigned i = 1; i + 1 < n; i++) {
			for (unsigned j = 1; j + 1 < n; j++)
				b[i][j] = 0.25 *
					  (b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]);
		}
	}
}

static void matrices(unsigned size)
{
	TIMED(fill_matrices);
	TIMED(multiply, 2 * size);
	TIMED(smooth, 2 * size);
	TIMED(eliminate, 2 * size);
}

static FUNCTION void attract(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		double force = 0;

		for (unsigned j = 0; j < ORDER; j++) {
			double far = a[0][i % ORDER] - a[1][j] + 0.5;

			force += far / (far * far + 1e-3);
		}
		a[2][i % ORDER] += 1e-6 * force;
	}
}

static FUNCTION void move(unsigned n)
{
	for (unsigned round = 0; round < n; round++) {
		for (unsigned i = 0; i < ORDER; i++)
			a[0][i] = 0.999 * a[0][i] + 1e-3 * a[2][i];
		KEEP_FRAME();
	}
}

static FUNCTION void iterate(unsigned n)
{
	double escaped = 0;

	for (unsigned i = 0; i < n; i++) {
		double x = 0, y = 0, to = -0.7 + 1e-4 * i;

		for (unsigned k = 0; k < 60 && x * x + y * y < 4; k++) {
			double next = x * x - y * y + to;

			y = 2 * x * y + 0.2;
			x = next;
		}
		escaped += x;
	}
	result = (uint64_t)(escaped * escaped);
}

static void orbits(unsigned size)
{
	TIMED(attract, 20 * size);
	TIMED(move, 40 * size);
	TIMED(iterate, 40 * size);
}

static const struct {
	const char *name;
	void (*run)(unsigned size);
} programs[] = {
	{ "sorts", sorts },       { "words", words },   { "numbers", numbers },
	{ "matrices", matrices }, { "orbits", orbits },
};

int main(int argc, char **argv)
{
	for (unsigned i = 0; argc > 1 && i < sizeof(programs) / sizeof(*programs); i++) {
		struct rounds rounds = rounds_begin(argc - 1, argv + 1);

		if (strcmp(argv[1], programs[i].name) != 0)
			continue;
		for (unsigned n; (n = rounds_next(&rounds));)
			programs[i].run(n);
		for (unsigned j = 0; times[j].name; j++)
			printf("%s %llu\n", times[j].name, (unsigned long long)times[j].ns);
		return 0;
	}
	fprintf(stderr, "usage: timed sorts|words|numbers|matrices|orbits [SECONDS]\n");
	return 2;
}
