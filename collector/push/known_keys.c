#include "collector/push/known_keys.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/hash.h"
#include "cct/text/file_text.h"

#define MAGIC    "dendro01"
#define KEYS_MAX (1u << 20)
#define WEEK_S   (7 * 86400)

/* The begin of the file. */
struct header {
	char magic[8];
	uint64_t made_s; /* since 1970 */
};
static_assert(sizeof(struct header) == 16, "the keys follow");

static bool slot_is_used(const void *slot)
{
	return *(const uint64_t *)slot;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	(void)owner;
	return *(const uint64_t *)slot == *(const uint64_t *)key;
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	(void)owner;
	return hash_number(*(const uint64_t *)slot);
}

static const struct hash_table_type keys_type = {
	.slot_size = sizeof(uint64_t),
	.first_slots = 1024,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

void known_keys_deinit(struct known_keys *known)
{
	hash_table_deinit(&known->keys);
}

bool known_keys_has(const struct known_keys *known, uint64_t key)
{
	return hash_table_find(&known->keys, &keys_type, hash_number(key), &key, NULL);
}

int known_keys_add(struct known_keys *known, uint64_t key)
{
	if (!key || known_keys_has(known, key)) /* 0 is a free slot: it is never known */
		return 0;
	uint64_t *slot = hash_table_insert(&known->keys, &keys_type, hash_number(key), NULL);
	if (!slot)
		return -ENOMEM;
	*slot = key;
	return 0;
}

static char *name_of(const char *database_id, char name[static 64])
{
	snprintf(name, 64, "%.40s.known", database_id);
	return name;
}

static bool is_current(const struct file_text *text)
{
	struct header header;
	const uint64_t now = (uint64_t)time(NULL);

	if (text->size < sizeof(header) || text->size > KEYS_MAX * sizeof(uint64_t))
		return false;
	memcpy(&header, text->bytes, sizeof(header));
	return memcmp(header.magic, MAGIC, sizeof(header.magic)) == 0 && header.made_s <= now &&
	       now - header.made_s < WEEK_S;
}

int known_keys_read(struct known_keys *known, int folder_fd, const char *database_id)
{
	char name[64];
	_cleanup_close_ int fd =
		openat(folder_fd, name_of(database_id, name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct file_text text = { 0 };
	int err = 0;

	if (fd < 0)
		return 0;
	if (file_text_read(&text, fd) || !is_current(&text))
		unlinkat(folder_fd, name, 0);
	else
		for (size_t at = sizeof(struct header); !err && at + 8 <= text.size; at += 8) {
			uint64_t key;

			memcpy(&key, text.bytes + at, sizeof(key));
			err = known_keys_add(known, key);
		}
	free(text.bytes);
	return err;
}

int known_keys_note(int folder_fd, const char *database_id, const void *keys, size_t n)
{
	char name[64];
	_cleanup_close_ int fd =
		openat(folder_fd, name_of(database_id, name),
		       O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	const off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	struct header header = { MAGIC, (uint64_t)time(NULL) };

	if (size < 0)
		return -errno;
	if (!size && write(fd, &header, sizeof(header)) != sizeof(header))
		return -EIO;
	return write(fd, keys, n * 8) == (ssize_t)(n * 8) ? 0 : -EIO;
}
