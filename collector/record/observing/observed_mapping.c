#include "collector/record/observing/observed_mapping.h"

#include <string.h>
#include <sys/mman.h>

bool observed_mapping_from_record(const struct record *record, struct observed_mapping *ret)
{
	if (record->type != PERF_RECORD_MMAP2 || record->mmap.len > UINT64_MAX - record->mmap.addr)
		return false;
	*ret = (struct observed_mapping){
		.pid = record->mmap.pid,
		.start = record->mmap.addr,
		.end = record->mmap.addr + record->mmap.len,
		.offset = record->mmap.pgoff,
		.path = record->mmap.filename,
		.is_code = record->mmap.prot & PROT_EXEC,
		.time_ns = record->time_ns,
	};
	if (record->mmap.build_id_size) {
		ret->build_id.size = record->mmap.build_id_size;
		memcpy(ret->build_id.bytes, record->mmap.build_id, record->mmap.build_id_size);
	} else {
		ret->dev_major = record->mmap.maj;
		ret->dev_minor = record->mmap.min;
		ret->inode = record->mmap.ino;
	}
	return true;
}

bool observed_mapping_is_anonymous_code(const struct observed_mapping *mapping)
{
	static const char *const names[] = { "//anon", "[anon:", "[heap]", "[stack]" };

	if (!mapping->is_code || mapping->inode)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strncmp(mapping->path, names[i], strlen(names[i])) == 0)
			return true;
	}
	return !mapping->path[0];
}
