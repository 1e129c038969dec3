/*
 * Numbers for what was made from the same content: equal content has the same number, whoever makes
 * it and when, and other content another one. Not against an opponent who chooses the content.
 *
 *	struct content_id id = content_id_add(content_id_start(), host);
 */
#ifndef CCT_TEXT_CONTENT_ID_H
#define CCT_TEXT_CONTENT_ID_H

#include <stddef.h>
#include <stdint.h>

#define CONTENT_ID_SIZE      16 /* bytes */
#define CONTENT_ID_TEXT_SIZE 37 /* with a NUL */

struct content_id {
	unsigned __int128 hash;
};

struct content_id content_id_start(void);
/* The content so far, and a text; NULL is another content than an empty text. */
struct content_id content_id_add(struct content_id id, const char *text);
struct content_id content_id_add_bytes(struct content_id id, const void *bytes, size_t size);
struct content_id content_id_add_number(struct content_id id, uint64_t number);
/* A UUID of version 8 (RFC 9562), in its order of bytes, and as text: "xxxxxxxx-xxxx-8xxx-...". */
void content_id_bytes(struct content_id id, uint8_t bytes[CONTENT_ID_SIZE]);
void content_id_text(struct content_id id, char text[CONTENT_ID_TEXT_SIZE]);

#endif
