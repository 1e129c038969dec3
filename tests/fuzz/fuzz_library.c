/*
 * Any bytes as a profile that a program opens by libdendro: what is accepted adds up, and all that
 * the header promises can be looked at. The bytes are the parts of a profile as for fuzz_profile,
 * which become the sections of a file.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cct/api/dendro.h"
#include "cct/encoding/sections.h"
#include "cct/object/dwarf_reader.h"

#define N_PARTS    12
#define N_REQUIRED 4
#define IS_LATER   0x80000000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The types of sections, in the order of the input's parts. */
static const uint32_t types[N_PARTS] = { 1, 2, 3, 4, 5, 11, 6, 12, 13, 14, 7, 15 };

struct part {
	const uint8_t *bytes;
	uint64_t size;
};

/* The version of the file that they are parts of. */
static uint32_t find_parts(const uint8_t *data, size_t size, struct part parts[N_PARTS])
{
	struct dwarf_reader file = dwarf_reader(data, size);
	uint32_t version = 1;

	for (int i = 0; i < N_PARTS && dwarf_left(&file); i++) {
		uint64_t part_size = dwarf_read_unsigned(&file, 4);

		if (part_size & IS_LATER) {
			part_size -= IS_LATER;
			version = i == 0 ? SECTIONS_VERSION : version < 2 ? 2 : version;
		}
		parts[i].bytes = dwarf_read_block(&file, part_size);
		parts[i].size = parts[i].bytes ? part_size : 0;
	}
	return version;
}

static void write_sections(const struct part parts[N_PARTS], uint32_t version, FILE *out)
{
	struct section_writer writer;
	struct byte_buffer body = { 0 };

	if (section_writer_init(&writer, out, version))
		abort();
	for (uint32_t type = 1; type <= 15; type++) {
		for (int i = 0; i < N_PARTS; i++) {
			if (types[i] != type || (i >= N_REQUIRED && !parts[i].size))
				continue;
			byte_buffer_clear(&body);
			byte_buffer_add(&body, parts[i].bytes, (size_t)parts[i].size);
			if (section_write(&writer, type, 0, &body))
				abort();
		}
	}
	if (section_writer_end(&writer))
		abort();
	byte_buffer_deinit(&body);
	section_writer_deinit(&writer);
}

static size_t length(const char *text)
{
	return text ? strlen(text) : 0;
}

/* Reads each text, so that a wrong pointer is found. */
static size_t read_texts(const struct dendro_profile *profile)
{
	const struct dendro_info *info = dendro_profile_info(profile);
	size_t n = length(info->command_line) + length(info->hostname) + length(info->cpu);

	for (uint32_t i = 0; i < dendro_profile_n_frames(profile); i++) {
		const struct dendro_frame *frame = dendro_profile_frame(profile, i);

		n += strlen(frame->name) + length(frame->symbol) + strlen(frame->module) +
		     length(frame->module_path) + length(frame->build_id) + length(frame->file);
	}
	for (uint32_t i = 0; i < dendro_profile_n_processes(profile); i++)
		n += length(dendro_profile_process(profile, i)->name);
	for (uint32_t i = 0; i < dendro_profile_n_threads(profile); i++)
		n += length(dendro_profile_thread(profile, i)->name);
	for (size_t i = 0; i < dendro_profile_n_missing(profile); i++)
		n += strlen(dendro_profile_missing(profile, i)->problem);
	for (size_t i = 0; i < dendro_profile_n_counters(profile); i++)
		n += strlen(dendro_profile_counter(profile, i)->name);
	for (size_t i = 0; i < dendro_profile_n_notes(profile); i++)
		n += strlen(dendro_profile_note(profile, i));
	return n;
}

static void check_sums(const struct dendro_profile *profile)
{
	const uint32_t n_metrics = dendro_profile_n_metrics(profile);

	for (uint32_t metric = 0; metric < n_metrics; metric++) {
		uint64_t of_nodes = 0, of_frames = 0;

		for (uint32_t i = 0; i < dendro_profile_n_nodes(profile); i++)
			of_nodes += dendro_node_self(profile)[(size_t)i * n_metrics + metric];
		for (uint32_t i = 0; i < dendro_profile_n_frames(profile); i++)
			of_frames += dendro_frame_self(profile)[(size_t)i * n_metrics + metric];
		if (of_nodes != dendro_profile_metric(profile, metric)->total ||
		    of_frames != of_nodes || dendro_node_total(profile)[metric] != of_nodes)
			abort();
	}
}

static size_t check_nodes(const struct dendro_profile *profile)
{
	const uint32_t n = dendro_profile_n_nodes(profile), *parents = dendro_node_parents(profile);
	size_t n_children = 0;
	const char *file;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t child = dendro_node_first_child(profile, i);

		for (; child != DENDRO_NONE; child = dendro_node_next_sibling(profile, child)) {
			if (child <= i || child >= n || parents[child] != i)
				abort();
			n_children++;
		}
		if (dendro_node_frames(profile)[i] >= dendro_profile_n_frames(profile))
			abort();
		dendro_node_marks(profile, i);
		n_children += dendro_node_call(profile, i, &file) && !*file;
	}
	return n_children;
}

static size_t check_samples(const struct dendro_profile *profile)
{
	struct dendro_sample sample;
	size_t n = 0;

	for (uint32_t i = 0; i < dendro_profile_n_samples(profile); i++) {
		if (dendro_profile_read_samples(profile, i, 1, &sample, sizeof(sample)) != 1 ||
		    sample.node >= dendro_profile_n_nodes(profile) ||
		    sample.metric >= dendro_profile_n_metrics(profile) ||
		    sample.thread >= dendro_profile_n_threads(profile))
			abort();
		n += strlen(sample.thread_name) + strlen(sample.process_name) +
		     length(sample.cgroup);
	}
	return n;
}

static void open_with(const char *path, const struct dendro_read_options *options)
{
	struct dendro_profile *profile = NULL;
	char *error = NULL;

	if (dendro_profile_open(path, options, &profile, &error)) {
		if (profile || !error)
			abort();
		dendro_free(error);
		return;
	}
	const volatile size_t n =
		read_texts(profile) + check_nodes(profile) + check_samples(profile);
	(void)n;
	check_sums(profile);
	dendro_profile_close(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct dendro_read_options by_line = {
		.size = sizeof(by_line), .grouping = DENDRO_BY_THREAD, .raw_names = 1, .by_line = 1
	};
	struct part parts[N_PARTS] = { { NULL, 0 } };
	const uint32_t version = find_parts(data, size, parts);
	const int fd = memfd_create("profile", MFD_CLOEXEC);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	char path[64];

	if (!out)
		abort();
	write_sections(parts, version, out);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	open_with(path, NULL);
	open_with(path, &by_line);
	fclose(out);
	return 0;
}
