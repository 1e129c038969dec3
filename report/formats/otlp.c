/*
 * A message ProfilesData of OTLP (otlp_fields.h has the source), which is the same bytes as the
 * ExportProfilesServiceRequest that has it: one resource, the recorded machine, and for each event
 * with samples a profile.
 *
 * What OTLP calls a sample is a path of a thread; each of the recording's samples is a value of it,
 * with its time. A profile without the samples one by one has the whole cost as one value.
 */
#include "report/formats/otlp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"
#include "cct/base/hash_table.h"
#include "cct/base/stream.h"
#include "cct/paths/sample_list.h"
#include "cct/text/content_id.h"
#include "report/formats/otlp_fields.h"
#include "report/formats/otlp_tables.h"
#include "report/pprof/pprof.h"
#include "report/pprof/protobuf.h"

/* The samples of a path and thread: those from ->first on of the sorted ones. */
struct observations {
	uint32_t stack, thread;
	uint32_t first, n;
};

struct writer {
	const struct profile *profile;
	const struct path_options *options;   /* NULL: nobody looks */
	const struct otlp_resource *resource; /* NULL: the machine alone is known */
	struct otlp_tables tables;
	struct sample_list samples;
	struct hash_table groups; /* of ->all by stack and thread, for the event at hand */
	struct pair_map threads;
	struct observations *all;
	uint32_t n_all, n_all_allocated;
	uint32_t *group_of; /* by sample; UINT32_MAX: of another event */
	uint32_t *sorted;   /* samples by group, then time */
	struct byte_buffer sample, values, times, profile_message, profiles;
	uint64_t start_ns; /* since 1970 */
	bool has_times;
};

/* -- grouping ------------------------------------------------------------------------------- */

/* A slot is an index in ->all, plus 1; the owner is ->all. */
static bool slot_is_used(const void *slot)
{
	return *(const uint32_t *)slot != 0;
}

static const struct observations *slot_group(const void *slot, const void *owner)
{
	return (const struct observations *)owner + *(const uint32_t *)slot - 1;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	const struct observations *group = slot_group(slot, owner), *wanted = key;

	return group->stack == wanted->stack && group->thread == wanted->thread;
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	const struct observations *group = slot_group(slot, owner);

	return hash_pair(group->stack, group->thread);
}

static const struct hash_table_type groups_by_path = {
	.slot_size = sizeof(uint32_t),
	.first_slots = 256,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

/* Equal attributes of a thread have one number; so do all that have none. */
static uint32_t number_thread(struct writer *writer, const struct listed_sample *sample)
{
	if (writer->resource)
		return 0;
	const uint32_t name = otlp_tables_text(&writer->tables, "thread.name",
					       sample->thread_name ? sample->thread_name : "");
	const uint64_t ids = (uint64_t)(uint32_t)sample->pid << 32 | (uint32_t)sample->tid;
	uint32_t number = pair_map_find(&writer->threads, ids, name);

	if (number != PAIR_MAP_NONE)
		return number;
	number = writer->threads.pairs.n_used;
	if (pair_map_add(&writer->threads, ids, name, number))
		writer->tables.err = -ENOMEM;
	return number;
}

static uint32_t group_sample(struct writer *writer, const struct listed_sample *sample)
{
	const struct observations group = {
		.stack = otlp_tables_stack(&writer->tables, sample->node),
		.thread = number_thread(writer, sample),
	};
	const uint32_t hash = hash_pair(group.stack, group.thread);
	uint32_t *slot =
		hash_table_find(&writer->groups, &groups_by_path, hash, &group, writer->all);

	if (slot)
		return *slot - 1;
	slot = hash_table_insert(&writer->groups, &groups_by_path, hash, writer->all);
	if (!slot || array_reserve(writer->all, writer->n_all, writer->n_all_allocated, 1)) {
		writer->tables.err = -ENOMEM;
		return UINT32_MAX;
	}
	writer->all[writer->n_all++] = group;
	*slot = writer->n_all;
	return *slot - 1;
}

/* Sorts the samples of an event by group, in the order of time. */
static void group_samples(struct writer *writer, uint32_t metric)
{
	uint32_t at = 0;

	writer->n_all = 0;
	for (size_t i = 0; i < writer->samples.n && !writer->tables.err; i++) {
		const struct listed_sample sample = sample_list_get(&writer->samples, i);

		writer->group_of[i] =
			sample.metric == metric ? group_sample(writer, &sample) : UINT32_MAX;
		if (writer->group_of[i] != UINT32_MAX)
			writer->all[writer->group_of[i]].n++;
	}
	hash_table_deinit(&writer->groups);
	for (uint32_t i = 0; i < writer->n_all; i++) {
		writer->all[i].first = at;
		at += writer->all[i].n;
		writer->all[i].n = 0;
	}
	for (size_t i = 0; i < writer->samples.n && !writer->tables.err; i++) {
		if (writer->group_of[i] == UINT32_MAX)
			continue;
		struct observations *group = &writer->all[writer->group_of[i]];
		writer->sorted[group->first + group->n++] = (uint32_t)i;
	}
}

/* -- profiles ------------------------------------------------------------------------------- */

static void add_attributes(struct writer *writer, const struct listed_sample *first)
{
	struct otlp_tables *tables = &writer->tables;
	struct byte_buffer *list = &writer->values;

	byte_buffer_clear(list);
	if (writer->resource) /* the samples are of all its processes */
		return;
	byte_buffer_add_unsigned(list, otlp_tables_number(tables, "process.pid", first->pid));
	byte_buffer_add_unsigned(list, otlp_tables_number(tables, "thread.id", first->tid));
	byte_buffer_add_unsigned(list,
				 otlp_tables_text(tables, "thread.name",
						  first->thread_name ? first->thread_name : ""));
	protobuf_field_message(&writer->sample, OTLP_SAMPLE_ATTRIBUTES, list);
}

static void write_group(struct writer *writer, const struct observations *group)
{
	const struct listed_sample first =
		sample_list_get(&writer->samples, writer->sorted[group->first]);

	byte_buffer_clear(&writer->sample);
	protobuf_field_number(&writer->sample, OTLP_SAMPLE_STACK, group->stack);
	add_attributes(writer, &first);
	byte_buffer_clear(&writer->values);
	byte_buffer_clear(&writer->times);
	for (uint32_t i = group->first; i < group->first + group->n; i++) {
		const struct listed_sample sample =
			sample_list_get(&writer->samples, writer->sorted[i]);

		byte_buffer_add_unsigned(&writer->values, sample.weight);
		if (writer->has_times)
			protobuf_add_fixed(&writer->times, writer->start_ns + sample.time_ns);
	}
	protobuf_field_message(&writer->sample, OTLP_SAMPLE_VALUES, &writer->values);
	if (writer->has_times)
		protobuf_field_message(&writer->sample, OTLP_SAMPLE_TIMES, &writer->times);
	protobuf_field_message(&writer->profile_message, OTLP_SAMPLES, &writer->sample);
}

/* All times are before the end, which is none of them. */
static uint64_t duration(const struct writer *writer)
{
	const struct profile_info *info = &writer->profile->info;
	const size_t n = writer->samples.n;
	const uint64_t last = n ? sample_list_get(&writer->samples, n - 1).time_ns : 0;
	const uint64_t whole = info->end_ns - info->start_ns;

	return (whole > last ? whole : last) + 1;
}

static void add_profile_id(const struct writer *writer, const struct metric *metric,
			   struct byte_buffer *message)
{
	uint8_t id[CONTENT_ID_SIZE];

	if (!writer->resource)
		return;
	content_id_bytes(content_id_add(writer->resource->id, metric->name), id);
	protobuf_field_bytes(message, OTLP_PROFILE_ID, id, sizeof(id));
}

static void write_profile(struct writer *writer, uint32_t index)
{
	const struct metric *metric = &writer->profile->metrics[index];
	struct byte_buffer *message = &writer->profile_message;
	struct byte_buffer *type = &writer->sample;

	group_samples(writer, index);
	byte_buffer_clear(type);
	protobuf_field_number(type, OTLP_TYPE, otlp_tables_string(&writer->tables, metric->name));
	protobuf_field_number(type, OTLP_UNIT,
			      otlp_tables_string(&writer->tables, pprof_unit(metric)));
	byte_buffer_clear(message);
	protobuf_field_message(message, OTLP_SAMPLE_TYPE, type);
	protobuf_field_fixed(message, OTLP_TIME, writer->start_ns);
	protobuf_field_number(message, OTLP_DURATION, duration(writer));
	add_profile_id(writer, metric, message);
	for (uint32_t i = 0; i < writer->n_all; i++) {
		write_group(writer, &writer->all[i]);
		if (writer->options)
			path_options_written(writer->options, writer->all[i].n);
	}
	free(writer->all);
	writer->all = NULL;
	writer->n_all = writer->n_all_allocated = 0;
	protobuf_field_message(&writer->profiles, OTLP_PROFILES, message);
	byte_buffer_deinit(message);
	*message = (struct byte_buffer){ 0 };
}

/* -- the whole ------------------------------------------------------------------------------ */

static void add_resource_attribute(struct writer *writer, const char *key, const char *value)
{
	struct byte_buffer attribute = { 0 }, text = { 0 };

	if (!value)
		return;
	otlp_tables_add_text(&writer->tables, &text, OTLP_TEXT, value);
	protobuf_field_bytes(&attribute, OTLP_KEY, key, strlen(key));
	protobuf_field_message(&attribute, OTLP_VALUE, &text);
	protobuf_field_message(&writer->sample, OTLP_RESOURCE_ATTRIBUTES, &attribute);
	byte_buffer_deinit(&attribute);
	byte_buffer_deinit(&text);
}

/* A recording may have many programs, so no single service fits it. */
static void add_resource(struct writer *writer, struct byte_buffer *message)
{
	const struct profile_info *info = &writer->profile->info;
	const struct otlp_resource *resource = writer->resource;

	byte_buffer_clear(&writer->sample);
	add_resource_attribute(writer, "service.name",
			       resource ? resource->service : "unknown_service");
	add_resource_attribute(writer, "host.name", resource ? resource->host : info->hostname);
	for (size_t i = 0; resource && i < resource->n_attributes; i++)
		add_resource_attribute(writer, resource->attributes[i].name,
				       resource->attributes[i].value);
	add_resource_attribute(writer, "host.arch", info->arch);
	add_resource_attribute(writer, "host.cpu.model.name", info->cpu);
	add_resource_attribute(writer, "os.type", "linux");
	add_resource_attribute(writer, "os.version", info->os_release);
	protobuf_field_message(message, OTLP_RESOURCE, &writer->sample);
}

static void add_scope(struct byte_buffer *profiles)
{
	static const char name[] = "dendro", version[] = DENDRO_VERSION;
	struct byte_buffer scope = { 0 };

	protobuf_field_bytes(&scope, OTLP_SCOPE_NAME, name, sizeof(name) - 1);
	protobuf_field_bytes(&scope, OTLP_SCOPE_VERSION, version, sizeof(version) - 1);
	protobuf_field_message(profiles, OTLP_SCOPE, &scope);
	byte_buffer_deinit(&scope);
}

static void write_bytes(const struct byte_buffer *buffer, FILE *out)
{
	if (buffer->size)
		fwrite(buffer->bytes, 1, buffer->size, out);
}

/* A message that consists of @head and @tail, which is large. */
static int write_field(FILE *out, unsigned field, const struct byte_buffer *head,
		       const struct byte_buffer *tail)
{
	struct byte_buffer start = { 0 };

	protobuf_field_start(&start, field, head->size + tail->size);
	if (head->lacks_memory || tail->lacks_memory || start.lacks_memory) {
		byte_buffer_deinit(&start);
		return -ENOMEM;
	}
	write_bytes(&start, out);
	write_bytes(head, out);
	write_bytes(tail, out);
	byte_buffer_deinit(&start);
	return 0;
}

static int write_all(struct writer *writer, FILE *out)
{
	const struct profile *profile = writer->profile;
	const struct byte_buffer none = { 0 };
	struct byte_buffer head = { 0 };

	add_scope(&writer->profiles);
	if (writer->options)
		path_options_expect(writer->options, writer->samples.n);
	for (uint32_t i = 0; i < profile->n_metrics && !writer->tables.err; i++) {
		if (profile->metrics[i].samples)
			write_profile(writer, i);
	}
	add_resource(writer, &head);
	protobuf_field_start(&head, OTLP_SCOPE_PROFILES, writer->profiles.size);
	int err = writer->tables.err;
	if (!err)
		err = write_field(out, OTLP_RESOURCE_PROFILES, &head, &writer->profiles);
	if (!err)
		err = write_field(out, OTLP_DICTIONARY, &none, &writer->tables.dictionary);
	byte_buffer_deinit(&head);
	return err ? err : stream_finish(out);
}

static int writer_init(struct writer *writer, const struct profile *profile,
		       struct symbolizer *symbolizer)
{
	const struct profile_info *info = &profile->info;

	*writer = (struct writer){
		.profile = profile,
		.start_ns = info->has_date ? info->start_ns + info->unix_offset_ns : 0,
		.has_times = info->has_date && profile->rows,
	};
	int err = otlp_tables_init(&writer->tables, profile, symbolizer);
	if (!err)
		err = sample_list_init(&writer->samples, profile);
	if (!err && writer->samples.n >= UINT32_MAX)
		err = -EOVERFLOW;
	writer->group_of = calloc(writer->samples.n + 1, sizeof(*writer->group_of));
	writer->sorted = calloc(writer->samples.n + 1, sizeof(*writer->sorted));
	return err ? err : !writer->group_of || !writer->sorted ? -ENOMEM : 0;
}

static void writer_deinit(struct writer *writer)
{
	otlp_tables_deinit(&writer->tables);
	sample_list_deinit(&writer->samples);
	hash_table_deinit(&writer->groups);
	pair_map_deinit(&writer->threads);
	free(writer->all);
	free(writer->group_of);
	free(writer->sorted);
	byte_buffer_deinit(&writer->sample);
	byte_buffer_deinit(&writer->values);
	byte_buffer_deinit(&writer->times);
	byte_buffer_deinit(&writer->profile_message);
	byte_buffer_deinit(&writer->profiles);
}

static int write_file(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
		      const struct path_options *options, const struct otlp_resource *resource)
{
	struct writer writer;
	int err = writer_init(&writer, profile, symbolizer);

	writer.options = options;
	writer.resource = resource;
	if (!err)
		err = write_all(&writer, out);
	writer_deinit(&writer);
	return err;
}

int otlp_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
	       const struct path_options *options)
{
	return write_file(out, profile, symbolizer, options, NULL);
}

int otlp_write_resource(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
			const struct otlp_resource *resource)
{
	return write_file(out, profile, symbolizer, NULL, resource);
}
