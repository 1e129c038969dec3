/*
 * Files whose code is annotated: a head that says where the samples are, a source file, and the
 * module, an ELF file or a jitdump. The source file is known to debug information as "/s.c".
 */
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/attached/jitdump.h"
#include "report/annotate/annotate.h"
#include "report/annotate/annotate_output.h"
#include "report/names/source_file.h"

#define N_SAMPLES 4
#define N_WANTED  8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct head {
	uint32_t offsets[N_SAMPLES]; /* in the module, a call path: each calls the next one */
	uint16_t source_size;
	uint8_t is_dump, flags;
};

static int file_of(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("fuzzed", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	return fd;
}

static void add_dump(struct module *module, const uint8_t *bytes, size_t size)
{
	struct jitdump *dump;

	if (jitdump_parse(bytes, size, &dump))
		return;
	module->symbols = jitdump_symbols(dump, bytes);
	module->lines = jitdump_lines(dump, bytes);
	jitdump_destroy(dump);
}

static struct profile *profile_of(const struct head *head, const uint8_t *bytes, size_t size)
{
	struct profile *profile = profile_create();
	struct module_key key = { .kind = head->is_dump & 1 ? MODULE_JIT : MODULE_ELF,
				  .path = "/module" };
	uint32_t id = module_table_add(&profile->modules, &key), node = CCT_ROOT;
	struct module *module = module_table_get(&profile->modules, id);

	profile_add_metric(profile, "cycles", "events");
	cct_destroy(profile->cct);
	profile->cct = cct_create(1);
	module->located.image_fd = file_of(bytes, size);
	if (head->is_dump & 1)
		add_dump(module, bytes, size);
	for (size_t i = 0; i < N_SAMPLES; i++) {
		struct frame frame = { .kind = FRAME_USER,
				       .module = id,
				       .offset = head->offsets[i] };

		node = cct_child(profile->cct, node, &frame);
		cct_add_cost(profile->cct, node, 0, 1 + i);
	}
	return profile;
}

/* All parts of the cost are found again in the lines and instructions. */
static void check_sums(struct annotation *annotation)
{
	for (uint32_t i = 0; i < annotation->n_functions; i++) {
		const struct annotated_function *function = &annotation->functions[i];
		uint64_t lines = 0, addresses = 0;
		uint64_t self = *annotation_self(annotation, function->slot);

		for (uint32_t j = 0; j < function->n_lines; j++)
			lines += *annotation_self(annotation,
						  annotation->lines[function->first_line + j].slot);
		for (uint32_t j = 0; j < function->n_addresses; j++)
			addresses += *annotation_self(
				annotation,
				annotation->addresses[function->first_address + j].slot);
		if (lines != self || addresses != self)
			abort();
	}
}

static void write_all_ways(struct annotation *annotation, const char *moved, uint8_t flags)
{
	static FILE *out;
	struct annotate_options options = {
		.inclusive = flags & 1,
		.intel_syntax = flags & 2,
		.width = flags & 4 ? 40 : 0,
		.min_percent = flags & 8 ? 1 : 0,
		.moved = &moved,
		.n_moved = 1,
	};

	if (!out)
		out = fopen("/dev/null", "w");
	for (int part = ANNOTATE_HOT; part <= ANNOTATE_ASSEMBLY; part++) {
		options.part = (enum annotate_part)part;
		annotate_write_text(out, annotation, &options);
	}
	annotate_write_json(out, annotation, &options);
}

static size_t names_at(struct symbolizer *symbolizer, const struct frame *frame, char **wanted,
		       size_t n)
{
	const struct frame_name *names;
	size_t n_names;

	if (symbolizer_expand(symbolizer, frame, &names, &n_names))
		return n;
	for (size_t i = 0; i < n_names && n < N_WANTED; i++)
		wanted[n++] = strdup(names[i].name);
	return n;
}

static void annotate(const struct profile *profile, const char *moved, uint8_t flags)
{
	struct symbolizer *symbolizer =
		symbolizer_create(profile, &(struct symbolizer_options){ .lines = true });
	char *wanted[N_WANTED];
	size_t n = 0;

	for (uint32_t i = 1; i < profile->cct->n_nodes; i++)
		n = names_at(symbolizer, cct_frame(profile->cct, i), wanted, n);
	for (size_t i = 0; i < n; i++) {
		struct annotation *annotation;

		if (annotation_create(profile, symbolizer, wanted[i], 0, &annotation) == 0) {
			check_sums(annotation);
			write_all_ways(annotation, moved, flags);
			annotation_destroy(annotation);
		}
		free(wanted[i]);
	}
	symbolizer_destroy(symbolizer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct head head;
	char moved[64];

	elf_version(EV_CURRENT);
	if (size < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	data += sizeof(head);
	size -= sizeof(head);
	if (head.source_size > size)
		return 0;
	int source = file_of(data, head.source_size);
	snprintf(moved, sizeof(moved), "/s.c=/proc/self/fd/%d", source);
	struct profile *profile =
		profile_of(&head, data + head.source_size, size - head.source_size);
	annotate(profile, moved, head.flags);
	profile_destroy(profile);
	close(source);
	return 0;
}
