/* FNV-1a with 128 bits (Fowler, Noll, Vo; its constants are in RFC 9923). */
#include "cct/text/content_id.h"

#include <stdio.h>
#include <string.h>

#define WIDE(high, low) ((unsigned __int128)(high) << 64 | (low))
#define OFFSET          WIDE(0x6c62272e07bb0142u, 0x62b821756295c58du)
#define PRIME           WIDE(0x0000000001000000u, 0x000000000000013bu)

struct content_id content_id_add_bytes(struct content_id id, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < size; i++)
		id.hash = (id.hash ^ at[i]) * PRIME;
	return id;
}

struct content_id content_id_start(void)
{
	return (struct content_id){ OFFSET };
}

/* The NUL is where a text ends. */
struct content_id content_id_add(struct content_id id, const char *text)
{
	return text ? content_id_add_bytes(id, text, strlen(text) + 1)
		    : content_id_add_bytes(id, "\xff", 2);
}

struct content_id content_id_add_number(struct content_id id, uint64_t number)
{
	for (unsigned i = 0; i < sizeof(number); i++) {
		const uint8_t byte = (uint8_t)(number >> 8 * i);

		id = content_id_add_bytes(id, &byte, 1);
	}
	return id;
}

void content_id_bytes(struct content_id id, uint8_t bytes[CONTENT_ID_SIZE])
{
	for (unsigned i = 0; i < CONTENT_ID_SIZE; i++)
		bytes[i] = (uint8_t)(id.hash >> (120 - 8 * i));
	bytes[6] = (bytes[6] & 0x0f) | 0x80; /* the version */
	bytes[8] = (bytes[8] & 0x3f) | 0x80; /* the variant */
}

void content_id_text(struct content_id id, char text[CONTENT_ID_TEXT_SIZE])
{
	uint8_t bytes[CONTENT_ID_SIZE];
	char *at = text;

	content_id_bytes(id, bytes);
	for (unsigned i = 0; i < CONTENT_ID_SIZE; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*at++ = '-';
		at += snprintf(at, 3, "%02x", bytes[i]);
	}
}
