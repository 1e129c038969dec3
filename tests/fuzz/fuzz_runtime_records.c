/* Any bytes as runtime records of two processes, and look-ups of their code afterwards. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/replay/processes.h"
#include "perf/records/runtime_record.h"

enum { MAX_RECORDS = 500 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The input: one after the other. */
struct item {
	struct runtime_record_header header;
	uint16_t n_missing; /* of the record's bytes */
	uint16_t at;        /* an address to look for */
	uint32_t padding;
};

static void look(const struct profile *profile, const struct runtime_codes *codes, uint64_t addr)
{
	const struct runtime_code *code = runtime_codes_find(codes, addr);

	if (!code)
		return;
	const struct module *module = module_table_get(&profile->modules, codes->module);
	const struct symbol *symbol =
		symbol_table_find(module->symbols, code->offset + (addr - code->start));
	const struct inlined_code *inlined =
		inline_table_find(module->inlines, code->offset + (addr - code->start));
	if (addr - code->start >= code->end - code->start || !symbol ||
	    symbol->offset != code->offset)
		abort();
	if (inlined &&
	    (inlined->n_names > INLINE_DEPTH_MAX || inlined->size > code->end - code->start))
		abort();
}

static void add(struct profile *profile, struct processes *processes, const struct item *item)
{
	static union {
		struct perf_event_header header;
		uint8_t bytes[RUNTIME_RECORD_SIZE_MAX];
	} space;
	static const char name[RUNTIME_NAME_MAX] = "java.lang.Object.wait";
	struct runtime_record record = { .header = item->header, .name = name };
	const uint32_t name_size = record.header.name_size;

	record.header.pid &= 1;
	record.header.start &= 0xffff;
	record.header.name_size %= RUNTIME_NAME_MAX + 1;
	runtime_record_encode(&record, &space.header);
	memcpy(space.bytes + sizeof(space.header) +
		       offsetof(struct runtime_record_header, name_size),
	       &name_size, sizeof(name_size));
	if (item->n_missing < space.header.size - sizeof(space.header))
		space.header.size = (uint16_t)(space.header.size - item->n_missing);
	struct process *process =
		processes_thread(processes, record.header.pid, record.header.pid)->process;
	/* Someone holds what the record changes. */
	struct runtime_codes *before = runtime_codes_ref(process->runtime);
	int err = processes_describe(processes, &space.header);
	if (err && err != -EINVAL)
		abort();
	look(profile, process->runtime, item->at);
	runtime_codes_unref(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct profile *profile = profile_create();
	struct processes *processes = processes_create(profile, NULL);
	struct item item;

	for (int i = 0; i < MAX_RECORDS && size >= sizeof(item); i++) {
		memcpy(&item, bytes, sizeof(item));
		add(profile, processes, &item);
		bytes += sizeof(item);
		size -= sizeof(item);
	}
	processes_destroy(processes);
	profile_destroy(profile);
	return 0;
}
