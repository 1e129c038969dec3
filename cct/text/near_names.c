#include "cct/text/near_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/printable.h"
#include "cct/base/sentence.h"

static char fold(char c)
{
	return c == '_' || c == '.' ? '-' : (char)tolower((unsigned char)c);
}

static bool is_same(const char *a, const char *b)
{
	while (*a && fold(*a) == fold(*b))
		a++, b++;
	return fold(*a) == fold(*b);
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;
	return least < c ? least : c;
}

/* Levenshtein 1966, one row at a time; both lengths are below NEAR_NAME_SIZE. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t row[NEAR_NAME_SIZE + 1];
	for (size_t j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			size_t replaced = diagonal + (fold(a[i - 1]) != fold(b[j - 1]));
			diagonal = row[j];
			row[j] = min3(replaced, row[j] + 1, row[j - 1] + 1);
		}
	}
	return row[b_length];
}

void near_names_init(struct near_names *names, const char *wanted, size_t length)
{
	memset(names, 0, sizeof(*names));
	names->wanted = wanted;
	names->wanted_length = length;
}

static void insert_at(struct near_names *names, size_t place, const char *name, size_t distance)
{
	if (names->n_kept < NEAR_NAMES_KEPT)
		names->n_kept++;
	memmove(&names->kept[place + 1], &names->kept[place],
		(names->n_kept - place - 1) * sizeof(names->kept[0]));
	snprintf(names->kept[place].name, NEAR_NAME_SIZE, "%s", name);
	names->kept[place].distance = distance;
}

/* Names of processes and files may be made to deceive whoever reads them on a terminal. */
static bool is_hostile(const char *name)
{
	uint32_t code;
	size_t size;
	for (; (size = printable_decode_utf8(name, &code)); name += size)
		if (printable_is_hostile(code))
			return true;
	return *name;
}

void near_names_offer(struct near_names *names, const char *name)
{
	size_t length = strlen(name);
	if (length >= NEAR_NAME_SIZE || names->wanted_length >= NEAR_NAME_SIZE || is_hostile(name))
		return;
	/* A third of the letters may be wrong: more is another name. */
	size_t limit = names->wanted_length / 3 + 1;
	size_t difference = length > names->wanted_length ? length - names->wanted_length
							  : names->wanted_length - length;
	if (difference > limit)
		return;
	size_t distance = edit_distance(names->wanted, names->wanted_length, name, length);
	if (distance > limit)
		return;

	size_t place = 0;
	while (place < names->n_kept && names->kept[place].distance <= distance) {
		if (is_same(names->kept[place].name, name))
			return;
		place++;
	}
	if (place < NEAR_NAMES_KEPT)
		insert_at(names, place, name, distance);
}

char *near_names_question(const struct near_names *names)
{
	const char *a = names->kept[0].name, *b = names->kept[1].name, *c = names->kept[2].name;
	switch (names->n_kept) {
	case 0:
		return sentence("%s", "");
	case 1:
		return sentence("; did you mean %s?", a);
	case 2:
		return sentence("; did you mean %s or %s?", a, b);
	default:
		return sentence("; did you mean %s, %s or %s?", a, b, c);
	}
}
