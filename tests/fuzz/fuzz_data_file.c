/* Any bytes as a recording: opened, every record decoded and put into time order. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf/file/data_file.h"
#include "perf/file/order.h"
#include "perf/records/read_values.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Reads what a record points to, so that a sanitizer sees a pointer that leads outside. */
static uint64_t touch(const uint8_t *bytes, size_t size)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < size; i += 64)
		sum += bytes[i];
	return size ? sum + bytes[size - 1] : sum;
}

static uint64_t touch_sample(const struct sample_record *sample, uint64_t read_format)
{
	struct read_value value;
	uint64_t sum = touch(sample->raw, sample->raw_size) +
		       touch(sample->user_stack, sample->user_stack_space);

	for (size_t i = 0; i < sample->n_callchain; i++)
		sum += sample->callchain[i];
	for (size_t i = 0; i < sample->n_branches; i++)
		sum += sample->branches[i].to;
	for (int i = 0; i < __builtin_popcountll(sample->user_regs.mask); i++)
		sum += sample->user_regs.values[i];
	for (int i = 0; i < __builtin_popcountll(sample->intr_regs.mask); i++)
		sum += sample->intr_regs.values[i];
	for (size_t i = 0; i < sample->n_read_values; i++) {
		read_values_of_sample(sample, read_format, i, &value);
		sum += value.value + value.id + value.lost;
	}
	return sum;
}

static void decode(const struct data_file *file, const struct raw_record *raw, uint64_t *time_ns)
{
	uint64_t sum = 0;
	struct record record;
	size_t event;

	*time_ns = 0;
	if (data_file_decode(file, raw->header, &record, &event))
		return;
	*time_ns = record.has_time ? record.time_ns : 0;
	if (record.type == PERF_RECORD_SAMPLE)
		sum = touch_sample(
			&record.sample,
			data_file_event(file, event == SIZE_MAX ? 0 : event)->layout.read_format);
	if (record.type == PERF_RECORD_COMM)
		sum = (uint64_t)snprintf(NULL, 0, "%s", record.comm.name);
	if (record.type == PERF_RECORD_MMAP || record.type == PERF_RECORD_MMAP2)
		sum = (uint64_t)snprintf(NULL, 0, "%s", record.mmap.filename);
	__asm__ volatile("" : : "r"(sum)); /* so that the reads stay */
}

static void drain(struct order *order)
{
	struct raw_record record;
	uint64_t time_ns;

	while (order_pop(order, &record, &time_ns))
		data_block_unref(record.block);
}

static void read_all(struct data_file *file, struct order *order)
{
	struct raw_record record;
	uint64_t time_ns;

	while (data_file_next(file, &record) > 0) {
		decode(file, &record, &time_ns);
		if (record.header->type == RECORD_FINISHED_ROUND) {
			data_block_unref(record.block);
			order_finish_round(order);
		} else if (order_push(order, &record, time_ns)) {
			abort();
		}
		drain(order);
	}
	order_finish(order);
	drain(order);
}

static void touch_text(struct simpleperf_text text)
{
	uint64_t sum = touch((const uint8_t *)text.start, text.size);

	__asm__ volatile("" : : "r"(sum));
}

static void read_symbols(const struct data_file *file)
{
	struct simpleperf_section section = data_file_simpleperf_files(file);
	struct simpleperf_file named;
	struct simpleperf_symbol symbol;

	while (simpleperf_files_next(&section, &named)) {
		touch_text(named.path);
		while (simpleperf_symbols_next(&named, &symbol))
			touch_text(symbol.name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct data_file *file;
	char path[64], *error = NULL;

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (data_file_open(path, &file, &error)) {
		free(error);
		close(fd);
		return 0;
	}
	/* Four blocks: the order's bound is met too. */
	struct order *order = order_create(4 << 20);
	if (!order)
		abort();
	read_all(file, order);
	read_symbols(file);
	order_destroy(order);
	data_file_close(file);
	close(fd);
	return 0;
}
