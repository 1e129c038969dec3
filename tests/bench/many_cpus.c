/*
 * many_cpus [-c CPUS] [-p PROCESSES] [-F RATE] [-s SECONDS] RECORDING OUT: the recorder's rounds on
 * a machine that is not there. The samples and mappings of a recording become those of as many
 * processes on as many CPUs, each of which has its two rings, and go through drain and data_writer
 * into OUT as the records of a real machine do. Each second a process ends on each CPU, and another
 * one begins. Prints what the rounds cost; rate 0: rounds follow each other, to see how many
 * samples they can bear. What reads /proc and live processes (observers) is not in it, nor is the
 * kernel: rings are plain memory, and stacks are as short as the recording has them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/clock.h"
#include "cct/encoding/byte_buffer.h"
#include "collector/record/drain.h"
#include "perf/file/data_file.h"

#define MODELS_MAX    256
#define FIRST_PID     100000
#define SAMPLE_RING   (4u << 20)
#define SIDEBAND_RING (1u << 20)
#define SAMPLES_MIN   100  /* of a process of the recording */
#define FULL_RATE     1000 /* samples of a CPU a round at rate 0 */

/* What a process of the recording had: mappings and names in one piece, and samples. */
struct model {
	uint32_t pid;
	struct byte_buffer mappings, samples;
	size_t n_samples;
	size_t next; /* of the samples, the offset of the one to be used next */
};

struct fake_ring {
	struct perf_event_mmap_page page;
	_Alignas(8) uint8_t aside[65536];
};

struct machine {
	size_t n_cpus, n_processes;
	uint64_t rate;
	unsigned n_seconds;
	struct perf_event_attr attrs[2];
	struct model models[MODELS_MAX];
	size_t n_models;
	uint32_t *pids; /* of the processes that run */
	uint32_t next_pid;
	struct evlist_event events[2];
	struct evlist evlist;
	struct fake_ring *fakes;
	struct data_writer *writer;
	struct stack_output stack_output;
	struct observed_recording observed;
	struct recording_observers *observers;
	struct drain drain;
	uint64_t n_samples, n_bytes, n_full;
	uint64_t seed;
};

static void fail(const char *what, int err)
{
	fprintf(stderr, "many_cpus: %s: %s\n", what, strerror(-err));
	exit(1);
}

static size_t draw(struct machine *machine, size_t n)
{
	machine->seed = machine->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (size_t)(machine->seed >> 33) % n;
}

static struct model *find_model(struct machine *machine, uint32_t pid)
{
	for (size_t i = 0; i < machine->n_models; i++)
		if (machine->models[i].pid == pid)
			return &machine->models[i];
	if (machine->n_models == MODELS_MAX)
		return NULL;
	machine->models[machine->n_models].pid = pid;
	return &machine->models[machine->n_models++];
}

static void take_record(struct machine *machine, const struct data_file *file,
			const struct perf_event_header *header)
{
	struct model *model;
	struct record record;
	size_t event;

	if (data_file_decode(file, header, &record, &event) != RECORD_OK)
		return;
	if (header->type == PERF_RECORD_SAMPLE && record.pid > 0 && event == 0 &&
	    (model = find_model(machine, (uint32_t)record.pid))) {
		byte_buffer_add(&model->samples, header, header->size);
		model->n_samples++;
	}
	const int32_t pid = header->type == PERF_RECORD_MMAP2  ? record.mmap.pid
			    : header->type == PERF_RECORD_COMM ? record.comm.pid
							       : 0;
	if (pid > 0 && (model = find_model(machine, (uint32_t)pid)))
		byte_buffer_add(&model->mappings, header, header->size);
}

/* A few samples again and again would not be like a program. */
static void drop_short(struct machine *machine)
{
	size_t n = 0;

	for (size_t i = 0; i < machine->n_models; i++) {
		if (machine->models[i].n_samples >= SAMPLES_MIN && machine->models[i].mappings.size)
			machine->models[n++] = machine->models[i];
	}
	machine->n_models = n;
}

static void read_recording(struct machine *machine, const char *path)
{
	struct data_file *file;
	struct raw_record raw;
	char *error;

	if (data_file_open(path, &file, &error)) {
		fprintf(stderr, "many_cpus: %s\n", error);
		exit(1);
	}
	while (data_file_next(file, &raw) == 1) {
		take_record(machine, file, raw.header);
		data_block_unref(raw.block);
	}
	machine->attrs[0] = data_file_event(file, 0)->attr;
	machine->attrs[1] = data_file_event(file, data_file_n_events(file) - 1)->attr;
	data_file_close(file);
	drop_short(machine);
	if (!machine->n_models)
		fail("no process has mappings and a hundred samples", -EINVAL);
}

static void init_ring(struct ring *ring, struct fake_ring *fake, size_t size)
{
	ring->page = &fake->page;
	ring->aside = fake->aside;
	ring->size = size;
	ring->data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ring->data == MAP_FAILED)
		fail("a ring", -errno);
}

static void init_evlist(struct machine *machine)
{
	static char names[2][16] = { "cpu-clock", "dummy" };
	const size_t n = machine->n_cpus;
	struct ring *rings = calloc(2 * n, sizeof(*rings));

	machine->fakes = aligned_alloc(4096, 2 * n * sizeof(*machine->fakes));
	if (!rings || !machine->fakes)
		fail("rings", -ENOMEM);
	memset(machine->fakes, 0, 2 * n * sizeof(*machine->fakes));
	for (size_t i = 0; i < n; i++) {
		init_ring(&rings[i], &machine->fakes[i], SAMPLE_RING);
		init_ring(&rings[n + i], &machine->fakes[n + i], SIDEBAND_RING);
	}
	for (size_t i = 0; i < 2; i++) {
		uint64_t *ids = calloc(n, sizeof(*ids));

		for (size_t cpu = 0; ids && cpu < n; cpu++)
			ids[cpu] = 1 + i * n + cpu;
		machine->events[i] = (struct evlist_event){
			.name = names[i], .attr = machine->attrs[i], .ids = ids, .n_ids = n
		};
	}
	machine->evlist = (struct evlist){ .events = machine->events,
					   .n_events = 1,
					   .sample_rings = rings,
					   .n_sample_rings = n,
					   .sideband_rings = rings + n,
					   .n_sideband_rings = n };
}

static void init_recording(struct machine *machine, const char *path)
{
	const struct data_writer_options options = { .compression_level = DATA_WRITER_DEFAULT_LEVEL,
						     .n_threads = 1 };
	struct data_writer_event events[2];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int err;

	for (size_t i = 0; i < 2; i++)
		events[i] = (struct data_writer_event){ &machine->attrs[i], machine->events[i].name,
							machine->events[i].ids, machine->n_cpus };
	if (fd < 0)
		fail(path, -errno);
	err = data_writer_create(fd, &options, events, 2, NULL, 0, &machine->writer);
	if (!err)
		err = recording_observers_create(NULL, 0, &machine->observed, &machine->observers);
	if (!err)
		err = recording_observers_begin(machine->observers);
	if (err)
		fail(path, err);
	drain_init(&machine->drain, &machine->evlist, machine->writer, &machine->stack_output,
		   machine->observers, NULL);
}

static size_t n_fields(uint64_t bits)
{
	return 8 * (size_t)__builtin_popcountll(bits);
}

/* A record of a model becomes one of process @pid on @cpu. */
static void change_record(const struct machine *machine, uint8_t *bytes, uint32_t pid, size_t cpu,
			  uint64_t time_ns)
{
	struct perf_event_header header;
	const uint32_t task[2] = { pid, pid };

	memcpy(&header, bytes, sizeof(header));
	const bool is_sample = header.type == PERF_RECORD_SAMPLE;
	const uint64_t type = machine->attrs[is_sample ? 0 : 1].sample_type;
	const uint64_t id = machine->events[is_sample ? 0 : 1].ids[cpu];
	const uint64_t where = cpu;
	const uint64_t has_cpu = type & PERF_SAMPLE_CPU;

	if (is_sample) {
		const size_t at =
			sizeof(header) + n_fields(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP));
		const size_t after = at + 16 +
				     n_fields(type & (PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
						      PERF_SAMPLE_STREAM_ID));

		memcpy(bytes + sizeof(header), &id, sizeof(id));
		memcpy(bytes + at, task, sizeof(task));
		memcpy(bytes + at + 8, &time_ns, sizeof(time_ns));
		if (has_cpu)
			memcpy(bytes + after, &where, sizeof(where));
		return;
	}
	uint8_t *end = bytes + header.size;
	memcpy(bytes + sizeof(header), task, sizeof(task));
	memcpy(end - 8, &id, sizeof(id));
	if (has_cpu)
		memcpy(end - 16, &where, sizeof(where));
	end -= 8 + n_fields(type & (PERF_SAMPLE_CPU | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID));
	memcpy(end - 8, &time_ns, sizeof(time_ns));
	memcpy(end - 16, task, sizeof(task));
}

/* false: the ring is full, and the record is lost. */
static bool put_record(struct machine *machine, struct ring *ring, const uint8_t *record,
		       uint32_t pid, size_t cpu, uint64_t time_ns)
{
	static _Alignas(8) uint8_t bytes[65536];
	const uint64_t head = ring->page->data_head;
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	if (head - ring->page->data_tail + header.size > ring->size)
		return false;
	memcpy(bytes, record, header.size);
	change_record(machine, bytes, pid, cpu, time_ns);
	const size_t at = head % ring->size, first = ring->size - at;
	const size_t n = first < header.size ? first : header.size;
	memcpy(ring->data + at, bytes, n);
	memcpy(ring->data, bytes + n, header.size - n);
	ring->page->data_head = head + header.size;
	return true;
}

static size_t record_size(const uint8_t *record)
{
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	return header.size;
}

static const struct model *model_of(const struct machine *machine, uint32_t pid)
{
	return &machine->models[pid % machine->n_models];
}

/* What the recorder reads from /proc at the begin. */
static void describe_processes(struct machine *machine, uint64_t time_ns)
{
	static _Alignas(8) uint8_t bytes[65536];
	int err = 0;

	for (size_t i = 0; i < machine->n_processes; i++) {
		const uint32_t pid = machine->pids[i];
		const struct model *model = model_of(machine, pid);

		for (size_t at = 0; at < model->mappings.size && !err;) {
			const size_t size = record_size(model->mappings.bytes + at);

			memcpy(bytes, model->mappings.bytes + at, size);
			change_record(machine, bytes, pid, pid % machine->n_cpus, time_ns);
			err = data_writer_append(machine->writer, bytes, size);
			at += size;
		}
	}
	if (err)
		fail("the recording", err);
}

/* The sideband of a process that ends, and of one that begins. */
static void replace_process(struct machine *machine, size_t cpu, uint64_t time_ns)
{
	struct ring *ring = &machine->evlist.sideband_rings[cpu];
	struct {
		struct perf_event_header header;
		uint32_t pid, ppid, tid, ptid;
		uint64_t time_ns;
		uint8_t id[64];
	} task = { .header = { .type = PERF_RECORD_EXIT } };
	const size_t i = draw(machine, machine->n_processes);
	const uint32_t old = machine->pids[i], pid = machine->next_pid++;
	const uint64_t type = machine->attrs[1].sample_type;

	task.header.size = (uint16_t)(sizeof(task) - sizeof(task.id) +
				      n_fields(type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
						       PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)));
	task.pid = task.ppid = task.tid = task.ptid = old;
	task.time_ns = time_ns;
	machine->n_full += !put_record(machine, ring, (const uint8_t *)&task, old, cpu, time_ns);
	machine->pids[i] = pid;
	const struct model *model = model_of(machine, pid);
	for (size_t at = 0; at < model->mappings.size;
	     at += record_size(model->mappings.bytes + at))
		machine->n_full +=
			!put_record(machine, ring, model->mappings.bytes + at, pid, cpu, time_ns);
}

/* What all CPUs do from @start_ns to @end_ns. */
static void run_programs(struct machine *machine, uint64_t start_ns, uint64_t end_ns)
{
	const uint64_t n = machine->rate ? machine->rate : FULL_RATE;

	for (size_t cpu = 0; cpu < machine->n_cpus; cpu++) {
		if (machine->rate)
			replace_process(machine, cpu, start_ns);
		for (uint64_t i = 0; i < n; i++) {
			const uint32_t pid = machine->pids[draw(machine, machine->n_processes)];
			struct model *model = &machine->models[pid % machine->n_models];
			const uint8_t *sample = model->samples.bytes + model->next;

			model->next += record_size(sample);
			if (model->next == model->samples.size)
				model->next = 0;
			if (put_record(machine, &machine->evlist.sample_rings[cpu], sample, pid,
				       cpu, start_ns + (end_ns - start_ns) * (i + 1) / (n + 1))) {
				machine->n_samples++;
				machine->n_bytes += record_size(sample);
			} else {
				machine->n_full += machine->rate != 0;
			}
		}
	}
}

static double processor_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / NSEC_PER_SEC;
}

/* KiB of memory without files and rings. */
static long memory_of_own(void)
{
	char line[128];
	long size = 0;
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "RssAnon: %ld", &size) == 1)
			break;
	if (status)
		fclose(status);
	return size;
}

static void run(struct machine *machine)
{
	const long before = memory_of_own();
	uint64_t last_ns = now_ns();
	double cpu_time = 0;

	describe_processes(machine, last_ns);
	for (unsigned second = 0; second < machine->n_seconds; second++) {
		if (machine->rate)
			nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
		const uint64_t now = now_ns();
		run_programs(machine, last_ns, now);
		last_ns = now;
		const double began = processor_time();
		int err = drain_all(&machine->drain);
		if (!err)
			err = data_writer_flush(machine->writer);
		if (err)
			fail("a round", err);
		cpu_time += processor_time() - began;
	}
	const double began = processor_time();
	int err = data_writer_finish(machine->writer);
	if (err)
		fail("the recording", err);
	cpu_time += processor_time() - began;
	printf("%zu CPUs, %zu processes: %llu samples, %.2f us of CPU time each, %llu lost, "
	       "%.1f MiB through rings, %.1f MiB of memory\n",
	       machine->n_cpus, machine->n_processes, (unsigned long long)machine->n_samples,
	       cpu_time / (double)machine->n_samples * 1e6, (unsigned long long)machine->n_full,
	       (double)machine->n_bytes / (1 << 20), (double)(memory_of_own() - before) / 1024);
	if (machine->rate)
		printf("%.2f %% of one CPU, %.4f %% of the machine\n",
		       100 * cpu_time / machine->n_seconds,
		       100 * cpu_time / machine->n_seconds / (double)machine->n_cpus);
}

int main(int argc, char **argv)
{
	struct machine *machine = calloc(1, sizeof(*machine));
	int option;

	if (!machine)
		fail("the machine", -ENOMEM);
	machine->n_cpus = 128;
	machine->n_processes = 10000;
	machine->rate = 49;
	machine->n_seconds = 10;
	while ((option = getopt(argc, argv, "c:p:F:s:")) != -1) {
		const unsigned long value = optarg ? strtoul(optarg, NULL, 10) : 0;

		if (option == 'c')
			machine->n_cpus = value;
		else if (option == 'p')
			machine->n_processes = value;
		else if (option == 'F')
			machine->rate = value;
		else if (option == 's')
			machine->n_seconds = (unsigned)value;
		else
			return 2;
	}
	if (argc - optind != 2 || !machine->n_cpus || !machine->n_processes)
		return fprintf(stderr, "many_cpus needs a recording and a file to write\n"), 2;
	read_recording(machine, argv[optind]);
	machine->pids = calloc(machine->n_processes, sizeof(*machine->pids));
	if (!machine->pids)
		fail("the processes", -ENOMEM);
	machine->next_pid = FIRST_PID;
	for (size_t i = 0; i < machine->n_processes; i++)
		machine->pids[i] = machine->next_pid++;
	init_evlist(machine);
	init_recording(machine, argv[optind + 1]);
	run(machine);
	return 0;
}
