/*
 * Hashes of bytes and numbers, for tables in memory: not for files, and not against an opponent who
 * chooses what is hashed.
 */
#ifndef CCT_BASE_HASH_H
#define CCT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What the hash of the first bytes begins with. */
#define HASH_START 0xcbf29ce484222325ull

/* FNV-1a, 64 bits. @hash: HASH_START, or that of the bytes before. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * 0x100000001b3ull;
	return hash;
}

/* The same of a text, without its zero. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3ull;
	return hash;
}

/*
 * A number in @n_bits bits, 1 to 64 (multiplicative hashing with the golden ratio: Knuth, The Art
 * of Computer Programming, volume 3, section 6.4).
 */
static inline uint64_t hash_to_bits(uint64_t number, unsigned n_bits)
{
	return number * 0x9e3779b97f4a7c15ull >> (64 - n_bits);
}

/* A number in 32 bits. */
static inline uint32_t hash_number(uint64_t number)
{
	return (uint32_t)hash_to_bits(number, 32);
}

/* Two numbers, of which both may be small and dense: multiply and fold (wyhash's mixing step). */
static inline uint32_t hash_pair(uint64_t a, uint64_t b)
{
	unsigned __int128 product =
		(unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xe7037ed1a0b428dbu);
	uint64_t folded = (uint64_t)(product >> 64) ^ (uint64_t)product;

	return (uint32_t)(folded ^ (folded >> 32));
}

#endif
