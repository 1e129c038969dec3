/*
 * Functions whose arguments are known: each of 60 rounds calls all of them, and pointers() is
 * called once more, with pointers that lead nowhere.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum colour { RED, GREEN = 7, BLUE = -2 };
enum level { LOW, MIDDLE = 200, HIGH = 40000 };

struct inner {
	short few[4];
	char text[16];
};
struct item {
	int length;
	enum colour colour;
	const char *name;
	struct inner inner;
	struct item *next;
	double weight;
	unsigned low : 3, high : 5;
	signed bits : 4;
};
struct pair {
	int first, second;
	long third;
};

volatile long sink;

__attribute__((noinline)) void numbers(int n, unsigned char c, long l, bool flag, short s,
				       char letter, int seventh, long eighth)
{
	sink += n + c + l + flag + s + letter + seventh + eighth;
	__asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) void pointers(struct item *p, const char *s, int *array, struct item **pp)
{
	sink += p ? p->length + *s + array[1] + (*pp)->length : 0;
	__asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) void by_value(struct pair pair, double d, int n)
{
	sink += pair.first + pair.second + pair.third + (long)d + n;
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void callback(enum level level, void (*step)(void))
{
	sink += level;
	step();
}
static void left(void)
{
	sink++;
}
static void right(void)
{
	sink--;
}

int main(void)
{
	static struct item items[3] = {
		{ .length = 5,
		  .colour = GREEN,
		  .name = "five",
		  .inner = { { 1, 2, 3, 4 }, "eins" },
		  .weight = 2.5,
		  .low = 5,
		  .high = 17,
		  .bits = -3 },
		{ .length = 900,
		  .colour = BLUE,
		  .name = "nine hundred",
		  .inner = { { 5, 6, 7, 8 }, "zwei" },
		  .weight = -1e10,
		  .low = 2,
		  .high = 31,
		  .bits = 7 },
		{
			.length = -3,
			.colour = RED,
			.name = "",
			.inner = { { 9, 10, 11, -12 }, "" },
			.weight = 0,
		},
	};
	int array[3] = { 10, 20, 30 };

	for (int i = 0; i < 3; i++)
		items[i].next = &items[(i + 1) % 3];
	for (int i = 0; i < 60; i++) {
		struct item *p = &items[i % 3], *q = &items[i % 2];
		array[1] = i % 5;
		numbers(i % 4 - 1, (unsigned char)(200 + i % 2), 1l << (i % 3 * 20), i % 3 == 0,
			(short)(-i), (char)('a' + i % 3), 7 * (i % 2), -8l * i);
		pointers(p, p->name, array, &q);
		callback(i % 2 ? i % 3 ? MIDDLE : HIGH : LOW, i % 5 ? left : right);
		by_value((struct pair){ i % 3, i % 4, i % 6 }, i, i % 5);
	}
	pointers(NULL, "none", array, NULL);
	return 0;
}
