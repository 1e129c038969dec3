#include "collector/exchange/perf_maps.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "perf/file/feature_bytes.h"

#define COMM_MAX     64
#define SYMBOL_MAX   4096
#define KERNEL_NAME  "[kernel.kallsyms]"
#define KSYMBOL_TYPE PERF_RECORD_KSYMBOL_TYPE_BPF

/* -- the kernel ----------------------------------------------------------------------------- */

/* Up to the end of the code that the profile has of it. */
static int write_kernel_map(struct record_builder *builder, const struct module *module,
			    const struct code_range *range)
{
	const char *path = module->key.path;
	const bool is_kernel = strncmp(path, KERNEL_NAME, strlen(KERNEL_NAME)) == 0;
	char name[PATH_MAX];

	/* With the symbol at its start. */
	snprintf(name, sizeof(name), "%s%s", path, strcmp(path, KERNEL_NAME) == 0 ? "_text" : "");
	int err = record_build_begin(builder, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL,
				     40 + strlen(name) + 8);
	if (err)
		return err;
	record_build_u32(builder, UINT32_MAX); /* the kernel's pid in perf's files */
	record_build_u32(builder, 0);
	record_build_u64(builder, module->key.base);
	record_build_u64(builder, range->offset + range->size);
	record_build_u64(builder, is_kernel ? module->key.base : 0);
	record_build_string(builder, name, strlen(name));
	return record_build_end(builder, -1, 0);
}

static int write_kernel_maps(struct record_builder *builder, const struct profile *profile,
			     const struct frame_addresses *addresses)
{
	int err = 0;

	for (uint32_t i = 1; i < profile->modules.n_modules && !err; i++) {
		const struct module *module = module_table_get(&profile->modules, i);

		if (module->key.kind == MODULE_KERNEL && addresses->ranges[i].size &&
		    frame_addresses_are_kernel(module->key.base))
			err = write_kernel_map(builder, module, &addresses->ranges[i]);
	}
	return err;
}

static int write_named(struct record_builder *builder, const struct named_address *named)
{
	const uint16_t type = KSYMBOL_TYPE, flags = 0;
	_cleanup_free_ char *name = printable_copy(named->name);

	if (!name)
		return -ENOMEM;
	const size_t size = strnlen(name, SYMBOL_MAX);
	int err = record_build_begin(builder, PERF_RECORD_KSYMBOL, PERF_RECORD_MISC_KERNEL,
				     16 + size + 8);
	if (err)
		return err;
	record_build_u64(builder, named->start);
	record_build_u32(builder, FRAME_ADDRESSES_NAMED_SIZE);
	record_build_add(builder, &type, sizeof(type));
	record_build_add(builder, &flags, sizeof(flags));
	record_build_string(builder, name, size);
	return record_build_end(builder, -1, 0);
}

/* -- processes ------------------------------------------------------------------------------ */

int perf_maps_write_comm(struct record_builder *builder, int32_t pid, int32_t tid, const char *name)
{
	_cleanup_free_ char *shown = printable_copy(name);

	if (!shown)
		return -ENOMEM;
	const size_t size = strnlen(shown, COMM_MAX - 1);
	int err = record_build_begin(builder, PERF_RECORD_COMM, 0, 8 + COMM_MAX + 8);
	if (err)
		return err;
	record_build_u32(builder, (uint32_t)pid);
	record_build_u32(builder, (uint32_t)tid);
	record_build_string(builder, shown, size);
	return record_build_end(builder, pid, tid);
}

static void add_identity(struct record_builder *builder, const struct module_key *key)
{
	uint8_t id[24] = { key->build_id.size };

	if (key->build_id.size) {
		memcpy(id + 4, key->build_id.bytes, key->build_id.size);
		record_build_add(builder, id, sizeof(id));
		return;
	}
	record_build_u32(builder, key->dev_major);
	record_build_u32(builder, key->dev_minor);
	record_build_u64(builder, key->inode);
	record_build_u64(builder, key->inode_generation);
}

static int write_mapping(struct record_builder *builder, int32_t pid, const struct module *module,
			 const struct code_range *range)
{
	const struct module_key *key = &module->key;
	const size_t size = strnlen(key->path, PATH_MAX);
	uint32_t misc = PERF_RECORD_MISC_USER;

	if (key->build_id.size)
		misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	int err = record_build_begin(builder, PERF_RECORD_MMAP2, misc, 64 + size + 8);
	if (err)
		return err;
	record_build_u32(builder, (uint32_t)pid);
	record_build_u32(builder, (uint32_t)pid);
	record_build_u64(builder, range->start);
	record_build_u64(builder, range->size);
	record_build_u64(builder, range->offset);
	add_identity(builder, key);
	record_build_u32(builder, PROT_READ | PROT_EXEC);
	record_build_u32(builder, MAP_PRIVATE);
	record_build_string(builder, key->path, size);
	return record_build_end(builder, pid, pid);
}

/* Maps the module of a frame once in each process. @mapped: (pid, module). */
static int map_frame(struct record_builder *builder, const struct profile *profile,
		     const struct frame_addresses *addresses, const struct frame *frame,
		     uint32_t process, struct pair_map *mapped)
{
	const struct module *module = module_table_get(&profile->modules, frame->module);

	if (frame->kind != FRAME_USER || process >= profile->n_processes ||
	    !frame_addresses_map(module))
		return 0;
	const int32_t pid = profile->processes[process].pid;
	if (pair_map_find(mapped, (uint32_t)pid, frame->module) != PAIR_MAP_NONE)
		return 0;
	int err = pair_map_add(mapped, (uint32_t)pid, frame->module, 0);
	return err ? err : write_mapping(builder, pid, module, &addresses->ranges[frame->module]);
}

/* Nodes come after their parents. */
static int write_processes(struct record_builder *builder, const struct profile *profile,
			   const struct frame_addresses *addresses, struct pair_map *mapped)
{
	const struct cct *cct = profile->cct;
	_cleanup_free_ uint32_t *processes = calloc(cct->n_nodes, sizeof(*processes));
	int err = processes ? 0 : -ENOMEM;

	for (uint32_t i = 1; i < cct->n_nodes && !err; i++) {
		const struct frame *frame = cct_frame(cct, i);

		if (frame->kind == FRAME_PROCESS) {
			processes[i] = (uint32_t)frame->offset;
			const struct profile_process *process = &profile->processes[processes[i]];
			err = perf_maps_write_comm(builder, process->pid, process->pid,
						   process->name ? process->name : "");
			continue;
		}
		processes[i] = processes[cct->nodes[i].parent];
		err = map_frame(builder, profile, addresses, frame, processes[i], mapped);
	}
	return err;
}

int perf_maps_write(struct record_builder *builder, const struct profile *profile,
		    const struct frame_addresses *addresses)
{
	struct pair_map mapped = { 0 };
	int err = write_kernel_maps(builder, profile, addresses);

	for (size_t i = 0; i < addresses->n_named && !err; i++)
		err = write_named(builder, &addresses->named[i]);
	if (!err)
		err = write_processes(builder, profile, addresses, &mapped);
	pair_map_deinit(&mapped);
	return err;
}

/* -- build IDs ------------------------------------------------------------------------------ */

int perf_maps_write_build_ids(struct data_writer *writer, const struct profile *profile,
			      const struct frame_addresses *addresses)
{
	struct feature_bytes bytes = { 0 };

	for (uint32_t i = 1; i < profile->modules.n_modules; i++) {
		const struct module_key *key = &module_table_get(&profile->modules, i)->key;
		const uint16_t mode = key->kind == MODULE_KERNEL ? PERF_RECORD_MISC_KERNEL
								 : PERF_RECORD_MISC_USER;

		if (addresses->ranges[i].size && key->build_id.size)
			feature_bytes_add_build_id(&bytes, mode, key->build_id.bytes,
						   key->build_id.size, key->path);
	}
	int err =
		bytes.failed ? -ENOMEM : data_writer_add_build_ids(writer, bytes.start, bytes.size);
	free(bytes.start);
	return err;
}
