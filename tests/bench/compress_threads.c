/*
 * compress_threads FILE: how many samples of a recording a second are compressed by none, one, two,
 * four and eight threads beside the one that hands them over, and what they become. The records, up
 * to 512 MiB of them, are in memory first, as in rings.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/clock.h"
#include "perf/file/data_file.h"
#include "perf/writer/data_writer.h"

#define RECORDS_MAX (512u << 20)

struct records {
	uint8_t *bytes;
	size_t size, n_allocated;
	uint64_t n_samples;
};

static int read_records(const char *path, struct records *records)
{
	struct data_file *file;
	struct raw_record raw;
	char *error;
	int err = data_file_open(path, &file, &error);

	if (err) {
		fprintf(stderr, "compress_threads: %s\n", error);
		free(error);
		return err;
	}
	while (records->size < RECORDS_MAX && data_file_next(file, &raw) == 1) {
		const size_t size = raw.header->size;

		err = array_reserve(records->bytes, records->size, records->n_allocated, size);
		if (err)
			break;
		memcpy(records->bytes + records->size, raw.header, size);
		records->size += size;
		records->n_samples += raw.header->type == PERF_RECORD_SAMPLE;
		data_block_unref(raw.block);
	}
	data_file_close(file);
	return err;
}

static int write_records(const struct records *records, unsigned n_threads)
{
	const struct perf_event_attr attr = { .size = sizeof(attr) };
	const uint64_t id = 1;
	const struct data_writer_event event = { &attr, "samples", &id, 1 };
	const struct data_writer_options options = {
		.compression_level = DATA_WRITER_DEFAULT_LEVEL,
		.n_threads = n_threads,
		.is_pipe = true,
	};
	struct data_writer *writer;
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int err = data_writer_create(fd, &options, &event, 1, NULL, 0, &writer);

	if (err)
		return err;
	const uint64_t start = now_ns();
	err = data_writer_append(writer, records->bytes, records->size);
	if (!err)
		err = data_writer_finish(writer);
	const double seconds = (double)(now_ns() - start) / NSEC_PER_SEC;
	printf("%u threads: %7.0f samples/s, %5.0f MiB/s, %4.0f bytes a sample\n", n_threads,
	       (double)records->n_samples / seconds, (double)records->size / seconds / (1 << 20),
	       (double)data_writer_n_bytes(writer) / (double)records->n_samples);
	data_writer_destroy(writer);
	close(fd);
	return err;
}

int main(int argc, char **argv)
{
	static const unsigned n_threads[] = { 0, 1, 2, 4, 8 };
	struct records records = { 0 };

	if (argc != 2) {
		fprintf(stderr, "usage: compress_threads FILE\n");
		return 2;
	}
	int err = read_records(argv[1], &records);
	for (size_t i = 0; !err && i < sizeof(n_threads) / sizeof(n_threads[0]); i++)
		err = write_records(&records, n_threads[i]);
	free(records.bytes);
	return err ? 1 : 0;
}
