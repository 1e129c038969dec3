/* A compressor, LZ77 with hash chains and byte-wise output, over text that it makes up; and back.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE      (1u << 21)
#define HASH_BITS 15
#define WINDOW    (1u << 16)
#define MIN_MATCH 4
#define MAX_MATCH 255
#define MAX_TRIES 24

static uint8_t text[SIZE], packed[SIZE * 2], back[SIZE];
static uint32_t heads[1u << HASH_BITS], chain[WINDOW];

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Words of a small vocabulary, the first ones more often. */
static void make_text(void)
{
	char words[512][12];
	uint32_t state = 1;
	size_t n = 0;

	for (size_t i = 0; i < 512; i++) {
		const size_t length = 2 + next_random(&state) % 9;

		for (size_t k = 0; k < length; k++)
			words[i][k] = (char)('a' + next_random(&state) % 26);
		words[i][length] = '\0';
	}
	while (n + 16 < SIZE) {
		const uint32_t a = next_random(&state) % 512, b = next_random(&state) % 512;
		const char *word = words[a * b / 512];
		const size_t length = strlen(word);

		memcpy(text + n, word, length);
		n += length;
		text[n++] = next_random(&state) % 12 ? ' ' : '\n';
	}
	memset(text + n, '.', SIZE - n);
}

static uint32_t hash_at(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word * 2654435761u >> (32 - HASH_BITS);
}

static uint32_t match_length(const uint8_t *a, const uint8_t *b, uint32_t max)
{
	uint32_t n = 0;

	while (n < max && a[n] == b[n])
		n++;
	return n;
}

static uint32_t find_match(uint32_t at, uint32_t *distance_ret)
{
	const uint32_t max = SIZE - at < MAX_MATCH ? SIZE - at : MAX_MATCH;
	uint32_t best = 0, candidate = heads[hash_at(text + at)];

	for (uint32_t tries = 0; candidate && tries < MAX_TRIES; tries++) {
		const uint32_t from = candidate - 1;

		if (at - from >= WINDOW)
			break;
		if (text[from + best] == text[at + best]) {
			const uint32_t n = match_length(text + from, text + at, max);

			if (n > best) {
				best = n;
				*distance_ret = at - from;
				if (n == max)
					break;
			}
		}
		candidate = chain[from % WINDOW];
	}
	return best;
}

static void insert(uint32_t at)
{
	const uint32_t hash = hash_at(text + at);

	chain[at % WINDOW] = heads[hash];
	heads[hash] = at + 1;
}

/* A byte 0 and a literal; or a length, and a distance of two bytes. */
static size_t compress(void)
{
	size_t n = 0;

	memset(heads, 0, sizeof(heads));
	for (uint32_t at = 0; at < SIZE;) {
		uint32_t distance = 0;
		const uint32_t length = at + MIN_MATCH < SIZE ? find_match(at, &distance) : 0;
		const uint32_t step = length < MIN_MATCH ? 1 : length;

		if (length < MIN_MATCH) {
			packed[n++] = 0;
			packed[n++] = text[at];
		} else {
			packed[n++] = (uint8_t)length;
			packed[n++] = (uint8_t)distance;
			packed[n++] = (uint8_t)(distance >> 8);
		}
		for (uint32_t i = 0; i < step && at + i + MIN_MATCH < SIZE; i++)
			insert(at + i);
		at += step;
	}
	return n;
}

static size_t expand(size_t size)
{
	size_t n = 0;

	for (size_t at = 0; at < size;) {
		const uint32_t length = packed[at++];

		if (!length) {
			back[n++] = packed[at++];
			continue;
		}
		const uint32_t distance = packed[at] | (uint32_t)packed[at + 1] << 8;
		at += 2;
		for (uint32_t i = 0; i < length; i++, n++)
			back[n] = back[n - distance];
	}
	return n;
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 1;

	make_text();
	for (int i = 0; i < rounds; i++) {
		const size_t size = compress();

		if (expand(size) != SIZE || memcmp(text, back, SIZE) != 0)
			return 1;
	}
	return 0;
}
