/* Build IDs: what a linker writes into a program file so that it can be known again. */
#ifndef CCT_MODEL_BUILD_ID_H
#define CCT_MODEL_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX_SIZE 20

struct build_id {
	uint8_t size; /* 0: none known */
	uint8_t bytes[BUILD_ID_MAX_SIZE];
};

/* Room for a build ID as text. */
#define BUILD_ID_TEXT_SIZE (2 * BUILD_ID_MAX_SIZE + 1)

/* At most BUILD_ID_MAX_SIZE bytes of @bytes. */
void build_id_set(struct build_id *build_id, const void *bytes, size_t size);
/* Lower-case hexadecimal digits; "-" where there is none. */
void build_id_format(const struct build_id *build_id, char text[static BUILD_ID_TEXT_SIZE]);
/* What build_id_format() writes; also "". false: neither, and *@build_id_ret has no build ID. */
bool build_id_parse(const char *text, struct build_id *build_id_ret);
/* Recorders pad short IDs with zeros to 20 bytes: these do not count. */
bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* The same bytes, and as many. */
bool build_id_equal_exact(const struct build_id *a, const struct build_id *b);

#endif
