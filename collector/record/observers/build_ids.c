#include "collector/record/observers/build_ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/hash.h"
#include "cct/base/hash_table.h"
#include "perf/file/feature_bytes.h"

struct listed_file {
	char *path; /* owned; NULL: the slot is free */
	struct build_id build_id;
	uint32_t hash;
};

struct build_ids {
	struct data_writer *writer; /* borrowed */
	struct hash_table files;
	struct feature_bytes records; /* one for each of the files */
};

static bool slot_is_used(const void *slot)
{
	return ((const struct listed_file *)slot)->path != NULL;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	const struct listed_file *listed = slot, *wanted = key;

	(void)owner;
	return listed->hash == wanted->hash &&
	       build_id_equal_exact(&listed->build_id, &wanted->build_id) &&
	       strcmp(listed->path, wanted->path) == 0;
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	(void)owner;
	return ((const struct listed_file *)slot)->hash;
}

static const struct hash_table_type listed_files = {
	.slot_size = sizeof(struct listed_file),
	.first_slots = 256,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

static int begin(const struct observed_recording *recording, void **state)
{
	struct build_ids *build_ids = calloc(1, sizeof(*build_ids));

	if (!build_ids)
		return -ENOMEM;
	build_ids->writer = recording->writer;
	*state = build_ids;
	return 0;
}

static void destroy(void *state)
{
	struct build_ids *build_ids = state;

	for (struct listed_file *file = NULL;
	     (file = hash_table_next(&build_ids->files, &listed_files, file));)
		free(file->path);
	hash_table_deinit(&build_ids->files);
	free(build_ids->records.start);
	free(build_ids);
}

/* Without memory the file is not listed. */
static void add(struct build_ids *build_ids, const char *path, const struct build_id *build_id)
{
	uint64_t hash = hash_bytes(hash_text(HASH_START, path), build_id->bytes, build_id->size);
	struct listed_file wanted = { .path = (char *)path,
				      .build_id = *build_id,
				      .hash = hash_number(hash) };

	if (build_ids->files.n_used >= BUILD_IDS_MAX ||
	    hash_table_find(&build_ids->files, &listed_files, wanted.hash, &wanted, NULL))
		return;
	wanted.path = strdup(path);
	struct listed_file *slot =
		wanted.path ? hash_table_insert(&build_ids->files, &listed_files, wanted.hash, NULL)
			    : NULL;
	if (!slot) {
		free(wanted.path);
		return;
	}
	*slot = wanted;
	feature_bytes_add_build_id(&build_ids->records, PERF_RECORD_MISC_USER, build_id->bytes,
				   build_id->size, path);
}

static void see_mapping(void *state, const struct observed_mapping *mapping,
			struct build_id *build_id)
{
	if (mapping->is_code && build_id->size)
		add(state, mapping->path, build_id);
}

static void see_new_mapping(void *state, const struct observed_mapping *mapping)
{
	if (mapping->is_code && mapping->build_id.size)
		add(state, mapping->path, &mapping->build_id);
}

static int finish(void *state)
{
	struct build_ids *build_ids = state;

	return build_ids->records.failed
		       ? 0
		       : data_writer_add_build_ids(build_ids->writer, build_ids->records.start,
						   build_ids->records.size);
}

const struct recording_observer build_ids_observer = {
	.name = "build IDs",
	.begin = begin,
	.destroy = destroy,
	.see_mapping = see_mapping,
	.see_new_mapping = see_new_mapping,
	.finish = finish,
};
