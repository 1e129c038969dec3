#include <sys/mman.h>

#include "perf/records/read_values.h"
#include "perf/records/record.h"
#include "perf/records/record_words.h"
#include "tests/unit/fixtures/record_builder.h"

/* cmocka.h needs the others first. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

enum { FORMAT_LOST = 1 << 4, BRANCH_COUNTERS = 1 << 19 };

#define ALL_SAMPLE_BITS ((1ull << 25) - 1)

static const struct record_layout trailer_layout = {
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
	.sample_id_all = true,
};

static void put_trailer(struct builder *builder)
{
	put_pair(builder, 11, 12);
	put_u64(builder, 1000);
	put_pair(builder, 3, 0);
	put_u64(builder, 77);
}

static void check_trailer(const struct record *record)
{
	assert_true(record->has_tid && record->has_time && record->has_cpu && record->has_id);
	assert_int_equal(record->pid, 11);
	assert_int_equal(record->tid, 12);
	assert_int_equal(record->time_ns, 1000);
	assert_int_equal(record->cpu, 3);
	assert_int_equal(record->id, 77);
}

/* The record's strings and pointers lead into *copy_ret, to be freed. */
static enum record_error decode(const struct record_layout *layout, struct builder *builder,
				struct record *record, struct perf_event_header **copy_ret)
{
	end_record(builder);
	*copy_ret = exact_copy(builder->bytes, builder->size);
	free(builder->bytes);
	*builder = (struct builder){ 0 };
	return record_decode(layout, *copy_ret, record);
}

static const struct record_layout full_layout = {
	/* WEIGHT and WEIGHT_STRUCT exclude each other. */
	.sample_type = ALL_SAMPLE_BITS & ~(uint64_t)PERF_SAMPLE_WEIGHT_STRUCT,
	.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
		       PERF_FORMAT_ID | PERF_FORMAT_GROUP | FORMAT_LOST,
	.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX | BRANCH_COUNTERS,
	.regs_user_mask = 0x111,
	.regs_intr_mask = 0x3,
	.sample_id_all = true,
};

static void put_full_sample(struct builder *builder)
{
	begin_record(builder, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put_u64(builder, 77);       /* IDENTIFIER */
	put_u64(builder, 0x401000); /* IP */
	put_pair(builder, 11, 12);  /* TID */
	put_u64(builder, 1000);     /* TIME */
	put_u64(builder, 0xadd);    /* ADDR */
	put_u64(builder, 77);       /* ID */
	put_u64(builder, 78);       /* STREAM_ID */
	put_pair(builder, 3, 0);    /* CPU */
	put_u64(builder, 4000);     /* PERIOD */
	put_u64(builder, 2);        /* READ: two of a group */
	put_u64(builder, 500);
	put_u64(builder, 400);
	for (uint64_t member = 0; member < 2; member++) {
		put_u64(builder, 10 + member);
		put_u64(builder, 77 + member);
		put_u64(builder, member);
	}
	put_u64(builder, 3); /* CALLCHAIN */
	put_u64(builder, PERF_CONTEXT_USER);
	put_u64(builder, 0x401000);
	put_u64(builder, 0x402000);
	put_u32(builder, 12); /* RAW: ends at 8 bytes, begins at 4 */
	put_bytes(builder, "raw of 12 b", 12);
	put_u64(builder, 2); /* BRANCH_STACK */
	put_u64(builder, 5);
	for (uint64_t word = 1; word <= 2 * 3 + 2; word++)
		put_u64(builder, word);
	put_u64(builder, PERF_SAMPLE_REGS_ABI_64); /* REGS_USER */
	for (uint64_t reg = 100; reg < 103; reg++)
		put_u64(builder, reg);
	put_u64(builder, 16); /* STACK_USER */
	put_bytes(builder, "0123456789abcdef", 16);
	put_u64(builder, 8);
	put_u64(builder, 0x1122334455667788);      /* WEIGHT */
	put_u64(builder, 0xda7a);                  /* DATA_SRC */
	put_u64(builder, 0x7a);                    /* TRANSACTION */
	put_u64(builder, PERF_SAMPLE_REGS_ABI_32); /* REGS_INTR */
	put_u64(builder, 200);
	put_u64(builder, 201);
	put_u64(builder, 0x9a);    /* PHYS_ADDR */
	put_u64(builder, 0xc6);    /* CGROUP */
	put_u64(builder, 4096);    /* DATA_PAGE_SIZE */
	put_u64(builder, 2 << 20); /* CODE_PAGE_SIZE */
	put_u64(builder, 8);       /* AUX */
	put_bytes(builder, "auxiliar", 8);
}

static void check_full_sample(const struct record *record)
{
	const struct sample_record *sample = &record->sample;
	struct read_value value;

	assert_int_equal(sample->ip, 0x401000);
	assert_int_equal(sample->addr, 0xadd);
	assert_int_equal(record->stream_id, 78);
	assert_int_equal(sample->period, 4000);
	assert_int_equal(sample->read_time_enabled, 500);
	assert_int_equal(sample->read_time_running, 400);
	assert_int_equal(sample->n_read_values, 2);
	read_values_of_sample(sample, full_layout.read_format, 1, &value);
	assert_int_equal(value.value, 11);
	assert_int_equal(value.id, 78);
	assert_int_equal(value.lost, 1);
	assert_int_equal(sample->n_callchain, 3);
	assert_int_equal(sample->callchain[2], 0x402000);
	assert_int_equal(sample->raw_size, 12);
	assert_string_equal((const char *)sample->raw, "raw of 12 b");
	assert_int_equal(sample->n_branches, 2);
	assert_int_equal(sample->branches[1].from, 4);
	assert_int_equal(sample->user_regs.values[2], 102);
	assert_int_equal(sample->user_regs.mask, 0x111);
	assert_int_equal(sample->user_stack_space, 16);
	assert_int_equal(sample->user_stack_size, 8);
	assert_memory_equal(sample->user_stack, "01234567", 8);
	assert_int_equal(sample->weight, 0x1122334455667788);
	assert_int_equal(sample->data_src, 0xda7a);
	assert_int_equal(sample->transaction, 0x7a);
	assert_int_equal(sample->intr_regs.abi, PERF_SAMPLE_REGS_ABI_32);
	assert_int_equal(sample->intr_regs.values[1], 201);
	assert_int_equal(sample->phys_addr, 0x9a);
	assert_int_equal(sample->cgroup, 0xc6);
	assert_int_equal(sample->data_page_size, 4096);
	assert_int_equal(sample->code_page_size, 2 << 20);
	assert_true(sample->has_callchain && sample->has_user_regs && sample->has_user_stack &&
		    sample->has_period);
}

static void every_field_of_a_sample_is_decoded(void **state)
{
	struct builder builder = { 0 };
	struct perf_event_header *copy;
	struct record record;

	(void)state;
	put_full_sample(&builder);
	assert_int_equal(decode(&full_layout, &builder, &record, &copy), RECORD_OK);
	check_trailer(&record); /* the same values at the sample's begin */
	check_full_sample(&record);
	free(copy);
}

static void a_sample_cut_anywhere_is_refused(void **state)
{
	struct builder builder = { 0 };
	struct record record;

	(void)state;
	put_full_sample(&builder);
	for (size_t size = sizeof(struct perf_event_header); size < builder.size; size++) {
		struct perf_event_header *copy = exact_copy(builder.bytes, size);
		copy->size = (uint16_t)size;
		assert_int_not_equal(record_decode(&full_layout, copy, &record), RECORD_OK);
		free(copy);
	}
	free(builder.bytes);
}

static void lengths_that_lead_beyond_a_sample_are_refused(void **state)
{
	static const uint64_t lengths[] = { 17,
					    1000,
					    UINT32_MAX,
					    1ull << 60,
					    1ull << 61,
					    UINT64_MAX / 24,
					    UINT64_MAX - 7,
					    UINT64_MAX };
	static const struct record_layout layouts[] = {
		{ .sample_type = PERF_SAMPLE_CALLCHAIN },
		{ .sample_type = PERF_SAMPLE_RAW },
		{ .sample_type = PERF_SAMPLE_BRANCH_STACK },
		{ .sample_type = PERF_SAMPLE_STACK_USER },
		{ .sample_type = PERF_SAMPLE_AUX },
		{ .sample_type = PERF_SAMPLE_REGS_USER, .regs_user_mask = UINT64_MAX },
		{ .sample_type = PERF_SAMPLE_READ, .read_format = PERF_FORMAT_GROUP },
		{ .sample_type = PERF_SAMPLE_READ,
		  .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | FORMAT_LOST },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		for (size_t j = 0; j < sizeof(lengths) / sizeof(lengths[0]); j++) {
			struct builder builder = { 0 };
			struct perf_event_header *copy;
			struct record record;
			/* The length of raw data has 32 bits. */
			bool is_raw = layouts[i].sample_type == PERF_SAMPLE_RAW;
			begin_record(&builder, PERF_RECORD_SAMPLE, 0);
			put_u64(&builder, is_raw ? lengths[j] | 0xfffffff0 : lengths[j]);
			put_u64(&builder, 1);
			put_u64(&builder, 2);
			assert_int_equal(decode(&layouts[i], &builder, &record, &copy),
					 RECORD_BAD_LENGTH);
			free(copy);
		}
	}
}

static void put_read(struct builder *builder, uint64_t format, uint64_t n)
{
	bool is_group = format & PERF_FORMAT_GROUP;

	put_u64(builder, is_group ? n : 10);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		put_u64(builder, 500);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		put_u64(builder, 400);
	for (uint64_t i = 0; i < n; i++) {
		if (is_group)
			put_u64(builder, 10 + i);
		if (format & PERF_FORMAT_ID)
			put_u64(builder, 70 + i);
		if (format & FORMAT_LOST)
			put_u64(builder, 90 + i);
	}
}

static void check_read(const struct sample_record *sample, uint64_t format, uint64_t n)
{
	struct read_value value;

	assert_int_equal(sample->n_read_values, n);
	assert_int_equal(sample->read_time_enabled,
			 format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 500 : 0);
	assert_int_equal(sample->read_time_running,
			 format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 400 : 0);
	for (uint64_t i = 0; i < n; i++) {
		read_values_of_sample(sample, format, i, &value);
		assert_int_equal(value.value, 10 + i);
		assert_int_equal(value.id, format & PERF_FORMAT_ID ? 70 + i : 0);
		assert_int_equal(value.lost, format & FORMAT_LOST ? 90 + i : 0);
	}
	read_values_of_sample(sample, format, n, &value);
	assert_int_equal(value.value, 0);
}

static void counter_values_of_every_read_format_are_decoded(void **state)
{
	(void)state;
	for (uint64_t format = 0; format < 1 << 5; format++) {
		uint64_t n = format & PERF_FORMAT_GROUP ? 3 : 1;
		struct record_layout layout = { .sample_type = PERF_SAMPLE_READ,
						.read_format = format };
		struct builder builder = { 0 };
		struct perf_event_header *copy;
		struct record record;
		begin_record(&builder, PERF_RECORD_SAMPLE, 0);
		put_read(&builder, format, n);
		assert_int_equal(decode(&layout, &builder, &record, &copy), RECORD_OK);
		check_read(&record.sample, format, n);
		free(copy);
	}
}

static void a_sample_without_user_context_has_no_registers_and_no_stack(void **state)
{
	struct record_layout layout = { .sample_type = PERF_SAMPLE_REGS_USER |
						       PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CGROUP,
					.regs_user_mask = 0xff };
	struct builder builder = { 0 };
	struct perf_event_header *copy;
	struct record record;

	(void)state;
	begin_record(&builder, PERF_RECORD_SAMPLE, 0);
	put_u64(&builder, PERF_SAMPLE_REGS_ABI_NONE);
	put_u64(&builder, 0);
	put_u64(&builder, 42);
	assert_int_equal(decode(&layout, &builder, &record, &copy), RECORD_OK);
	assert_false(record.sample.has_user_regs);
	assert_false(record.sample.has_user_stack);
	assert_null(record.sample.user_regs.values);
	assert_int_equal(record.sample.cgroup, 42);
	free(copy);
}

static void a_stack_may_be_reserved_and_empty_but_not_fuller_than_reserved(void **state)
{
	static const struct {
		uint64_t valid;
		enum record_error error;
	} cases[] = { { 0, RECORD_OK }, { 8, RECORD_OK }, { 9, RECORD_BAD_LENGTH } };
	struct record_layout layout = { .sample_type = PERF_SAMPLE_STACK_USER };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder = { 0 };
		struct perf_event_header *copy;
		struct record record;
		begin_record(&builder, PERF_RECORD_SAMPLE, 0);
		put_u64(&builder, 8);
		put_u64(&builder, 0);
		put_u64(&builder, cases[i].valid);
		assert_int_equal(decode(&layout, &builder, &record, &copy), cases[i].error);
		if (!cases[i].error) {
			assert_true(record.sample.has_user_stack);
			assert_int_equal(record.sample.user_stack_space, 8);
			assert_int_equal(record.sample.user_stack_size, cases[i].valid);
		}
		free(copy);
	}
}

static void raw_data_that_ends_between_words_is_refused_where_words_follow(void **state)
{
	struct record_layout layout = { .sample_type = PERF_SAMPLE_RAW };
	struct builder builder = { 0 };
	struct perf_event_header *copy;
	struct record record;

	(void)state;
	begin_record(&builder, PERF_RECORD_SAMPLE, 0);
	put_u32(&builder, 6);
	put_zeros(&builder, 6 + 14);
	assert_int_equal(decode(&layout, &builder, &record, &copy), RECORD_OK);
	layout.sample_type |= PERF_SAMPLE_CGROUP;
	assert_int_equal(record_decode(&layout, copy, &record), RECORD_BAD_LENGTH);
	free(copy);
}

static void the_low_half_of_a_struct_weight_is_the_weight(void **state)
{
	struct record_layout layout = { .sample_type = PERF_SAMPLE_WEIGHT_STRUCT };
	struct builder builder = { 0 };
	struct perf_event_header *copy;
	struct record record;

	(void)state;
	begin_record(&builder, PERF_RECORD_SAMPLE, 0);
	put_u64(&builder, 0x1122334455667788);
	assert_int_equal(decode(&layout, &builder, &record, &copy), RECORD_OK);
	assert_int_equal(record.sample.weight, 0x55667788);
	free(copy);
}

static void fields_of_a_newer_kernel_are_said_but_the_known_ones_are_there(void **state)
{
	struct record_layout layout = { .sample_type = PERF_SAMPLE_IP | 1ull << 40 };
	struct builder builder = { 0 };
	struct perf_event_header *copy;
	struct record record;

	(void)state;
	begin_record(&builder, PERF_RECORD_SAMPLE, 0);
	put_u64(&builder, 5);
	put_u64(&builder, 6);
	assert_int_equal(decode(&layout, &builder, &record, &copy), RECORD_UNSUPPORTED);
	assert_int_equal(record.sample.ip, 5);
	free(copy);
}

static void put_mmap2(struct builder *builder, uint16_t misc, bool has_build_id,
		      uint8_t build_id_size)
{
	static const uint8_t build_id[20] = { 0xb1, 0xd, 0x1d, 0x5 };

	begin_record(builder, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | misc);
	put_pair(builder, 21, 22);
	put_u64(builder, 0x400000);
	put_u64(builder, 0x1000);
	put_u64(builder, 0x2000);
	if (has_build_id) {
		put_u32(builder, build_id_size);
		put_bytes(builder, build_id, sizeof(build_id));
	} else {
		put_pair(builder, 8, 1);
		put_u64(builder, 4711);
		put_u64(builder, 2);
	}
	put_pair(builder, PROT_READ, MAP_PRIVATE);
	put_string(builder, "/bin/true");
	put_trailer(builder);
}

static void mmap2_names_a_file_by_inode_or_by_build_id(void **state)
{
	struct builder builder = { 0 };
	struct perf_event_header *copy;
	struct record record;

	(void)state;
	put_mmap2(&builder, 0, false, 0);
	assert_int_equal(decode(&trailer_layout, &builder, &record, &copy), RECORD_OK);
	check_trailer(&record);
	assert_int_equal(record.mmap.pid, 21);
	assert_int_equal(record.mmap.tid, 22);
	assert_int_equal(record.mmap.addr, 0x400000);
	assert_int_equal(record.mmap.len, 0x1000);
	assert_int_equal(record.mmap.pgoff, 0x2000);
	assert_int_equal(record.mmap.maj, 8);
	assert_int_equal(record.mmap.min, 1);
	assert_int_equal(record.mmap.ino, 4711);
	assert_int_equal(record.mmap.ino_generation, 2);
	assert_int_equal(record.mmap.build_id_size, 0);
	assert_int_equal(record.mmap.prot, PROT_READ);
	assert_int_equal(record.mmap.flags, MAP_PRIVATE);
	assert_string_equal(record.mmap.filename, "/bin/true");
	free(copy);

	put_mmap2(&builder, PERF_RECORD_MISC_MMAP_BUILD_ID, true, 20);
	assert_int_equal(decode(&trailer_layout, &builder, &record, &copy), RECORD_OK);
	assert_int_equal(record.mmap.build_id_size, 20);
	assert_int_equal(record.mmap.build_id[0], 0xb1);
	assert_int_equal(record.mmap.ino, 0);
	free(copy);

	put_mmap2(&builder, PERF_RECORD_MISC_MMAP_BUILD_ID, true, 21);
	assert_int_equal(decode(&trailer_layout, &builder, &record, &copy), RECORD_BAD_LENGTH);
	free(copy);
}

static void an_inode_stays_one_if_another_recorder_has_build_ids(void **state)
{
	struct record_layout layout = trailer_layout;
	struct builder builder = { 0 };
	struct perf_event_header *copy;
	struct record record;

	(void)state;
	put_mmap2(&builder, PERF_RECORD_MISC_MMAP_BUILD_ID, false, 0);
	assert_int_equal(decode(&layout, &builder, &record, &copy), RECORD_OK);
	assert_int_equal(record.mmap.build_id_size, 0);
	assert_int_equal(record.mmap.maj, 8);
	assert_int_equal(record.mmap.min, 1);
	assert_int_equal(record.mmap.ino, 4711);
	free(copy);

	layout.has_build_ids = true;
	put_mmap2(&builder, PERF_RECORD_MISC_MMAP_BUILD_ID, true, 3);
	assert_int_equal(decode(&layout, &builder, &record, &copy), RECORD_OK);
	assert_int_equal(record.mmap.build_id_size, 3);
	assert_memory_equal(record.mmap.build_id, "\xb1\x0d\x1d", 3);
	free(copy);
}

static void an_mmap_is_executable_unless_it_says_data(void **state)
{
	(void)state;
	for (int is_data = 0; is_data < 2; is_data++) {
		struct builder builder = { 0 };
		struct perf_event_header *copy;
		struct record record;
		begin_record(&builder, PERF_RECORD_MMAP, is_data ? PERF_RECORD_MISC_MMAP_DATA : 0);
		put_zeros(&builder, 32);
		put_string(&builder, "x");
		put_trailer(&builder);
		assert_int_equal(decode(&trailer_layout, &builder, &record, &copy), RECORD_OK);
		assert_int_equal(record.mmap.is_data, is_data);
		assert_int_equal(!!(record.mmap.prot & PROT_EXEC), !is_data);
		free(copy);
	}
}

static void put_comm(struct builder *b)
{
	put_pair(b, 21, 22);
	put_string(b, "bash");
}

static void check_comm(const struct record *r)
{
	assert_int_equal(r->comm.tid, 22);
	assert_true(r->comm.is_exec);
	assert_string_equal(r->comm.name, "bash");
}

static void put_task(struct builder *b)
{
	put_pair(b, 21, 1);
	put_pair(b, 22, 2);
	put_u64(b, 999);
}

static void check_task(const struct record *r)
{
	assert_int_equal(r->task.pid, 21);
	assert_int_equal(r->task.ppid, 1);
	assert_int_equal(r->task.tid, 22);
	assert_int_equal(r->task.ptid, 2);
	assert_int_equal(r->task.time_ns, 999);
}

static void put_lost(struct builder *b)
{
	put_u64(b, 77);
	put_u64(b, 5);
}

static void check_lost(const struct record *r)
{
	assert_int_equal(r->lost.id, 77);
	assert_int_equal(r->lost.lost, 5);
}

static void put_lost_samples(struct builder *b)
{
	put_u64(b, 5);
}

static void check_lost_samples(const struct record *r)
{
	assert_int_equal(r->lost.id, 0);
	assert_int_equal(r->lost.lost, 5);
}

static void put_throttle(struct builder *b)
{
	put_u64(b, 999);
	put_u64(b, 77);
	put_u64(b, 78);
}

static void check_throttle(const struct record *r)
{
	assert_int_equal(r->throttle.time_ns, 999);
	assert_int_equal(r->throttle.stream_id, 78);
}

static void put_read_record(struct builder *b)
{
	put_pair(b, 21, 22);
	put_u64(b, 123);
}

static void check_read_record(const struct record *r)
{
	assert_int_equal(r->read.tid, 22);
	assert_int_equal(r->read.n_values, 1);
	assert_int_equal(r->read.values[0], 123);
}

static void put_nothing(struct builder *b)
{
	(void)b;
}

static void check_switch(const struct record *r)
{
	assert_true(r->context_switch.is_out);
	assert_false(r->context_switch.is_preempt);
	assert_int_equal(r->context_switch.other_pid, -1);
}

static void put_switch_cpu_wide(struct builder *b)
{
	put_pair(b, 31, 32);
}

static void check_switch_cpu_wide(const struct record *r)
{
	assert_int_equal(r->context_switch.other_pid, 31);
	assert_int_equal(r->context_switch.other_tid, 32);
}

static void put_namespaces(struct builder *b)
{
	put_pair(b, 21, 22);
	put_u64(b, 2);
	for (uint64_t word = 1; word <= 4; word++)
		put_u64(b, word);
}

static void check_namespaces(const struct record *r)
{
	assert_int_equal(r->namespaces.n_namespaces, 2);
	assert_int_equal(r->namespaces.dev_ino[3], 4);
}

static void put_ksymbol(struct builder *b)
{
	put_u64(b, 0xffffffffc0000000);
	put_u32(b, 64);
	put_u16(b, PERF_RECORD_KSYMBOL_TYPE_BPF);
	put_u16(b, 1);
	put_string(b, "bpf_prog_1");
}

static void check_ksymbol(const struct record *r)
{
	assert_int_equal(r->ksymbol.addr, 0xffffffffc0000000);
	assert_int_equal(r->ksymbol.len, 64);
	assert_int_equal(r->ksymbol.ksym_type, PERF_RECORD_KSYMBOL_TYPE_BPF);
	assert_int_equal(r->ksymbol.flags, 1);
	assert_string_equal(r->ksymbol.name, "bpf_prog_1");
}

static void put_bpf(struct builder *b)
{
	put_u16(b, 1);
	put_u16(b, 0);
	put_u32(b, 9);
	put_bytes(b, "tagtagta", 8);
}

static void check_bpf(const struct record *r)
{
	assert_int_equal(r->bpf.bpf_type, 1);
	assert_int_equal(r->bpf.bpf_id, 9);
	assert_memory_equal(r->bpf.tag, "tagtagta", 8);
}

static void put_cgroup(struct builder *b)
{
	put_u64(b, 33);
	put_string(b, "/system.slice");
}

static void check_cgroup(const struct record *r)
{
	assert_int_equal(r->cgroup.cgroup_id, 33);
	assert_string_equal(r->cgroup.path, "/system.slice");
}

static void put_text_poke(struct builder *b)
{
	put_u64(b, 0xffffffff81000000);
	put_u16(b, 1);
	put_u16(b, 3);
	put_bytes(b, "\x90\x01\x02\x03", 4);
}

static void check_text_poke(const struct record *r)
{
	assert_int_equal(r->text_poke.old_bytes[0], 0x90);
	assert_int_equal(r->text_poke.new_len, 3);
	assert_int_equal(r->text_poke.new_bytes[2], 3);
}

static void put_deferred(struct builder *b)
{
	put_u64(b, 0xc00c1e);
	put_u64(b, 2);
	put_u64(b, 1);
	put_u64(b, 2);
}

static void check_deferred(const struct record *r)
{
	assert_int_equal(r->deferred.cookie, 0xc00c1e);
	assert_int_equal(r->deferred.n_ips, 2);
	assert_int_equal(r->deferred.ips[1], 2);
}

static void check_body(const struct record *r)
{
	assert_int_equal(r->body.size, 8);
}

static const struct {
	uint32_t type;
	uint16_t misc;
	void (*put)(struct builder *);
	void (*check)(const struct record *);
} sideband[] = {
	{ PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, put_comm, check_comm },
	{ PERF_RECORD_FORK, 0, put_task, check_task },
	{ PERF_RECORD_EXIT, 0, put_task, check_task },
	{ PERF_RECORD_LOST, 0, put_lost, check_lost },
	{ PERF_RECORD_LOST_SAMPLES, 0, put_lost_samples, check_lost_samples },
	{ PERF_RECORD_THROTTLE, 0, put_throttle, check_throttle },
	{ PERF_RECORD_UNTHROTTLE, 0, put_throttle, check_throttle },
	{ PERF_RECORD_READ, 0, put_read_record, check_read_record },
	{ PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, put_nothing, check_switch },
	{ PERF_RECORD_SWITCH_CPU_WIDE, 0, put_switch_cpu_wide, check_switch_cpu_wide },
	{ PERF_RECORD_NAMESPACES, 0, put_namespaces, check_namespaces },
	{ PERF_RECORD_KSYMBOL, 0, put_ksymbol, check_ksymbol },
	{ PERF_RECORD_BPF_EVENT, 0, put_bpf, check_bpf },
	{ PERF_RECORD_CGROUP, 0, put_cgroup, check_cgroup },
	{ RECORD_KERNEL_TEXT_POKE, 0, put_text_poke, check_text_poke },
	{ RECORD_KERNEL_CALLCHAIN_DEFERRED, 0, put_deferred, check_deferred },
	{ RECORD_KERNEL_AUX_OUTPUT_HW_ID, 0, put_lost_samples, check_body },
};

static void every_sideband_record_is_decoded_with_its_trailer(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(sideband) / sizeof(sideband[0]); i++) {
		struct builder builder = { 0 };
		struct perf_event_header *copy;
		struct record record;
		begin_record(&builder, sideband[i].type, sideband[i].misc);
		sideband[i].put(&builder);
		put_trailer(&builder);
		assert_int_equal(decode(&trailer_layout, &builder, &record, &copy), RECORD_OK);
		check_trailer(&record);
		sideband[i].check(&record);
		free(copy);
	}
}

/* As kernels write them where other recorders want the record, too. */
static void what_follows_the_trailer_is_no_part_of_the_record(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(sideband) / sizeof(sideband[0]); i++) {
		const uint32_t type = sideband[i].type;
		struct builder builder = { 0 };
		struct perf_event_header *copy;
		struct record record;
		uint64_t time_ns, id;

		if (type != PERF_RECORD_KSYMBOL && type != PERF_RECORD_BPF_EVENT &&
		    type != RECORD_KERNEL_TEXT_POKE)
			continue;
		begin_record(&builder, type, 0);
		sideband[i].put(&builder);
		put_trailer(&builder);
		const size_t size = builder.size;
		for (uint64_t word = 0; word < 4; word++)
			put_u64(&builder, UINT64_MAX - word);
		assert_int_equal(decode(&trailer_layout, &builder, &record, &copy), RECORD_OK);
		check_trailer(&record);
		sideband[i].check(&record);
		assert_true(record_peek_time(&trailer_layout, copy, &time_ns));
		assert_int_equal(time_ns, 1000);
		assert_true(record_peek_id(trailer_layout.sample_type, true, copy, &id));
		assert_int_equal(id, 77);
		assert_int_equal(record_written_size(trailer_layout.sample_type, true, copy), size);
		free(copy);
	}
}

/* What can be decoded has the time that was peeked; what can't may have any, or none. */
static void check_peeked_time(const struct record_layout *layout,
			      const struct perf_event_header *header)
{
	struct record record;
	uint64_t time_ns = 0;
	bool has_time = record_peek_time(layout, header, &time_ns);

	if (record_decode(layout, header, &record) != RECORD_OK)
		return;
	assert_int_equal(has_time, record.has_time);
	if (has_time)
		assert_int_equal(time_ns, record.time_ns);
}

static void check_peeked_time_of_all_sizes(const struct record_layout *layout,
					   const struct builder *builder)
{
	for (size_t size = 8; size <= builder->size; size++) {
		struct perf_event_header *copy = exact_copy(builder->bytes, size);
		copy->size = (uint16_t)size;
		check_peeked_time(layout, copy);
		free(copy);
	}
}

static void the_time_of_a_sample_is_peeked_as_it_is_decoded(void **state)
{
	struct builder builder = { 0 };

	(void)state;
	put_full_sample(&builder);
	check_peeked_time_of_all_sizes(&full_layout, &builder);
	free(builder.bytes);
	for (uint64_t bits = 0; bits < 1 << 10; bits++) {
		struct record_layout layout = {
			.sample_type = (bits & 0x1ff) |
				       (bits & 0x200 ? (uint64_t)PERF_SAMPLE_IDENTIFIER : 0),
		};
		layout.sample_type &= RECORD_HEAD_BITS;
		builder = (struct builder){ 0 };
		begin_record(&builder, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		for (uint64_t word = 1; word <= 10; word++)
			put_u64(&builder, word);
		check_peeked_time_of_all_sizes(&layout, &builder);
		free(builder.bytes);
	}
}

static void the_time_of_sideband_is_peeked_as_it_is_decoded(void **state)
{
	static const struct record_layout without_time = { .sample_type = PERF_SAMPLE_TID,
							   .sample_id_all = true };
	struct record_layout no_trailer = trailer_layout;

	(void)state;
	no_trailer.sample_id_all = false;
	for (size_t i = 0; i < sizeof(sideband) / sizeof(sideband[0]); i++) {
		struct builder builder = { 0 };
		begin_record(&builder, sideband[i].type, sideband[i].misc);
		sideband[i].put(&builder);
		put_trailer(&builder);
		check_peeked_time_of_all_sizes(&trailer_layout, &builder);
		check_peeked_time_of_all_sizes(&no_trailer, &builder);
		check_peeked_time_of_all_sizes(&without_time, &builder);
		free(builder.bytes);
	}
}

static void sideband_cut_anywhere_is_refused_or_keeps_inside(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(sideband) / sizeof(sideband[0]); i++) {
		struct builder builder = { 0 };
		begin_record(&builder, sideband[i].type, sideband[i].misc);
		sideband[i].put(&builder);
		for (size_t size = 8; size < builder.size; size++) {
			struct record_layout layout = { 0 };
			struct record record;
			struct perf_event_header *copy = exact_copy(builder.bytes, size);
			copy->size = (uint16_t)size;
			/* Text may end in padding, and a body may have any size. */
			if (!record_decode(&layout, copy, &record) &&
			    sideband[i].check != check_body)
				sideband[i].check(&record);
			free(copy);
		}
		free(builder.bytes);
	}
}

static void a_string_without_end_is_refused(void **state)
{
	static const struct {
		uint32_t type;
		size_t n_before;
	} cases[] = { { PERF_RECORD_MMAP, 32 },
		      { PERF_RECORD_MMAP2, 64 },
		      { PERF_RECORD_COMM, 8 },
		      { PERF_RECORD_CGROUP, 8 },
		      { PERF_RECORD_KSYMBOL, 16 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder = { 0 };
		struct perf_event_header *copy;
		struct record record;
		begin_record(&builder, cases[i].type, 0);
		put_zeros(&builder, cases[i].n_before);
		put_bytes(&builder, "endless!", 8);
		put_trailer(&builder); /* has zeros, but no longer belongs to the string */
		assert_int_equal(decode(&trailer_layout, &builder, &record, &copy), RECORD_NO_NUL);
		free(copy);
	}
}

static void counts_that_lead_beyond_a_sideband_record_are_refused(void **state)
{
	static const uint64_t counts[] = { 3, 1ull << 59, 1ull << 60, 1ull << 61, UINT64_MAX };
	static const uint32_t types[] = { PERF_RECORD_NAMESPACES,
					  RECORD_KERNEL_CALLCHAIN_DEFERRED };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (size_t j = 0; j < sizeof(counts) / sizeof(counts[0]); j++) {
			struct record_layout layout = { 0 };
			struct builder builder = { 0 };
			struct perf_event_header *copy;
			struct record record;
			begin_record(&builder, types[i], 0);
			put_u64(&builder, 1);
			put_u64(&builder, counts[j]);
			put_zeros(&builder, 16);
			assert_int_equal(decode(&layout, &builder, &record, &copy),
					 RECORD_BAD_LENGTH);
			free(copy);
		}
	}
}

static void a_record_smaller_than_its_trailer_is_refused(void **state)
{
	struct builder builder = { 0 };
	struct perf_event_header *copy;
	struct record record;

	(void)state;
	begin_record(&builder, PERF_RECORD_COMM, 0);
	put_u64(&builder, 1);
	assert_int_equal(decode(&trailer_layout, &builder, &record, &copy), RECORD_TOO_SMALL);
	free(copy);
}

static void forks_of_kernels_without_trailers_have_their_own_time(void **state)
{
	struct record_layout layout = { .sample_type = PERF_SAMPLE_TIME };
	struct builder builder = { 0 };
	struct perf_event_header *copy;
	struct record record;

	(void)state;
	begin_record(&builder, PERF_RECORD_FORK, 0);
	put_task(&builder);
	assert_int_equal(decode(&layout, &builder, &record, &copy), RECORD_OK);
	assert_true(record.has_time);
	assert_int_equal(record.time_ns, 999);
	free(copy);
}

static void records_of_tools_have_a_body_and_no_trailer(void **state)
{
	struct builder builder = { 0 };
	struct perf_event_header *copy;
	struct record record;

	(void)state;
	begin_record(&builder, RECORD_FINISHED_ROUND, 0);
	assert_int_equal(decode(&trailer_layout, &builder, &record, &copy), RECORD_OK);
	assert_false(record.has_time);
	assert_int_equal(record.body.size, 0);
	free(copy);
}

static void the_id_is_found_before_the_event_is_known(void **state)
{
	static const struct {
		uint64_t sample_type;
		uint32_t record_type;
		bool sample_id_all, is_found;
		uint64_t word; /* which of the record's eight words: 10, 11, ... 17 */
	} cases[] = {
		{ PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP, PERF_RECORD_SAMPLE, true, true, 10 },
		{ PERF_SAMPLE_ID, PERF_RECORD_SAMPLE, true, true, 10 },
		{ PERF_SAMPLE_ID | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			  PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU,
		  PERF_RECORD_SAMPLE, true, true, 14 },
		{ PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU, PERF_RECORD_COMM, true, true, 17 },
		{ PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID, PERF_RECORD_COMM, true,
		  true, 15 },
		{ PERF_SAMPLE_ID, PERF_RECORD_COMM, false, false, 0 },
		{ PERF_SAMPLE_IP, PERF_RECORD_SAMPLE, true, false, 0 },
		{ PERF_SAMPLE_ID, RECORD_FINISHED_ROUND, true, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder = { 0 };
		uint64_t id = 0;
		begin_record(&builder, cases[i].record_type, 0);
		for (uint64_t word = 10; word < 18; word++)
			put_u64(&builder, word);
		end_record(&builder);
		bool is_found = record_peek_id(cases[i].sample_type, cases[i].sample_id_all,
					       (const void *)builder.bytes, &id);
		assert_int_equal(is_found, cases[i].is_found);
		if (is_found)
			assert_int_equal(id, cases[i].word);
		free(builder.bytes);
	}
}

static void no_id_is_found_in_a_record_too_small_for_one(void **state)
{
	struct perf_event_header sample = { .type = PERF_RECORD_SAMPLE, .size = 8 };
	struct perf_event_header comm = { .type = PERF_RECORD_COMM, .size = 8 };
	uint64_t id;

	(void)state;
	assert_false(record_peek_id(PERF_SAMPLE_IDENTIFIER, true, &sample, &id));
	assert_false(record_peek_id(PERF_SAMPLE_IDENTIFIER, true, &comm, &id));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_a_sample_is_decoded),
		cmocka_unit_test(a_sample_cut_anywhere_is_refused),
		cmocka_unit_test(lengths_that_lead_beyond_a_sample_are_refused),
		cmocka_unit_test(counter_values_of_every_read_format_are_decoded),
		cmocka_unit_test(a_sample_without_user_context_has_no_registers_and_no_stack),
		cmocka_unit_test(a_stack_may_be_reserved_and_empty_but_not_fuller_than_reserved),
		cmocka_unit_test(raw_data_that_ends_between_words_is_refused_where_words_follow),
		cmocka_unit_test(the_low_half_of_a_struct_weight_is_the_weight),
		cmocka_unit_test(fields_of_a_newer_kernel_are_said_but_the_known_ones_are_there),
		cmocka_unit_test(mmap2_names_a_file_by_inode_or_by_build_id),
		cmocka_unit_test(an_inode_stays_one_if_another_recorder_has_build_ids),
		cmocka_unit_test(an_mmap_is_executable_unless_it_says_data),
		cmocka_unit_test(every_sideband_record_is_decoded_with_its_trailer),
		cmocka_unit_test(what_follows_the_trailer_is_no_part_of_the_record),
		cmocka_unit_test(the_time_of_a_sample_is_peeked_as_it_is_decoded),
		cmocka_unit_test(the_time_of_sideband_is_peeked_as_it_is_decoded),
		cmocka_unit_test(sideband_cut_anywhere_is_refused_or_keeps_inside),
		cmocka_unit_test(a_string_without_end_is_refused),
		cmocka_unit_test(counts_that_lead_beyond_a_sideband_record_are_refused),
		cmocka_unit_test(a_record_smaller_than_its_trailer_is_refused),
		cmocka_unit_test(forks_of_kernels_without_trailers_have_their_own_time),
		cmocka_unit_test(records_of_tools_have_a_body_and_no_trailer),
		cmocka_unit_test(the_id_is_found_before_the_event_is_known),
		cmocka_unit_test(no_id_is_found_in_a_record_too_small_for_one),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
