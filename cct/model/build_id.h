/* Build IDs, which linkers write into program files to identify them. */
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

/* Copies at most BUILD_ID_MAX_SIZE bytes of @bytes. */
void build_id_set(struct build_id *build_id, const void *bytes, size_t size);
/* Writes lower-case hexadecimal digits; "-" if there is no build ID. */
void build_id_format(const struct build_id *build_id, char text[static BUILD_ID_TEXT_SIZE]);
/*
 * Parses the text of build_id_format(), or "". false: malformed text; *@build_id_ret is then
 * without a build ID.
 */
bool build_id_parse(const char *text, struct build_id *build_id_ret);
/*
 * Whether two build IDs are equal, ignoring the zeros with which recorders pad short IDs to 20
 * bytes.
 */
bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* Whether two build IDs have the same size and bytes. */
bool build_id_equal_exact(const struct build_id *a, const struct build_id *b);

#endif
