/* Writes and reads modules: their identities, without what they are read from. */
#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/store/profile_parts.h"

void modules_part_write(struct byte_buffer *body, const struct profile *profile)
{
	byte_buffer_add_unsigned(body, profile->modules.n_modules - 1);
	for (uint32_t id = 1; id < profile->modules.n_modules; id++) {
		const struct module_key *key = &profile->modules.modules[id]->key;

		byte_buffer_add_unsigned(body, key->kind);
		byte_buffer_add_text(body, key->path);
		part_write_build_id(body, &key->build_id);
		byte_buffer_add_unsigned(body, key->dev_major);
		byte_buffer_add_unsigned(body, key->dev_minor);
		byte_buffer_add_unsigned(body, key->inode);
		byte_buffer_add_unsigned(body, key->inode_generation);
		byte_buffer_add_unsigned(body, key->base);
	}
}

static int read_module(struct dwarf_reader *body, struct profile *profile)
{
	_cleanup_free_ char *path = NULL;
	uint64_t kind = dwarf_read_uleb(body);
	int err = part_read_text(body, &path);

	if (err || !path || kind <= MODULE_NONE || kind > MODULE_KERNEL)
		return err ? err : -EINVAL;
	struct module_key key = { .kind = (enum module_kind)kind, .path = path };
	part_read_build_id(body, &key.build_id);
	key.dev_major = (uint32_t)dwarf_read_uleb(body);
	key.dev_minor = (uint32_t)dwarf_read_uleb(body);
	key.inode = dwarf_read_uleb(body);
	key.inode_generation = dwarf_read_uleb(body);
	key.base = dwarf_read_uleb(body);
	uint32_t n = profile->modules.n_modules;
	if (n >= MODULES_MAX)
		return -EINVAL;
	uint32_t id = module_table_add(&profile->modules, &key);
	if (!id)
		return -ENOMEM;
	/* Each module is there once. */
	return id == n ? 0 : -EINVAL;
}

int modules_part_read(struct dwarf_reader *body, struct profile *profile)
{
	int64_t n = part_read_count(body, 8);
	int err = n < 0 ? -EINVAL : 0;

	for (int64_t i = 0; !err && i < n; i++)
		err = read_module(body, profile);
	return err ? err : body->is_broken ? -EINVAL : 0;
}
