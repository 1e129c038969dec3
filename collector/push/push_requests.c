#include "collector/push/push_requests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/sentence.h"
#include "cct/encoding/byte_buffer.h"
#include "cct/text/content_id.h"
#include "collector/push/request_body.h"
#include "collector/push/service_profiles.h"
#include "report/formats/otlp.h"
#include "report/pprof/pprof.h"
#include "report/pprof/protobuf.h"

/*
 * Pyroscope's default limits: 16 000 samples and 4 MiB in a profile. Of a tenant it takes 2 MiB at
 * once, before they are compressed, and what is larger it refuses for ever, as too much at a time.
 * Servers of OTLP often take 4 MiB.
 */
#define SAMPLES_MAX 16000
#define SIZE_MAX_B  ((size_t)2 << 20)

/* push.v1.PushRequest, RawProfileSeries, RawSample, and types.v1.LabelPair, of
 * github.com/grafana/pyroscope at 3fe6a45 (2026-08-21). */
enum push_request_field { PUSH_SERIES = 1 };
enum series_field { SERIES_LABELS = 1, SERIES_SAMPLES = 2 };
enum raw_sample_field { RAW_SAMPLE_PROFILE = 1, RAW_SAMPLE_ID = 2 };
enum label_pair_field { LABEL_PAIR_NAME = 1, LABEL_PAIR_VALUE = 2 };

/* What is sent of one service. */
struct part {
	struct push_requests *requests;
	struct symbolizer *symbolizer;
	const char *service, *host;
	struct content_id window; /* of the whole profile and the service */
	uint32_t metric;          /* UINT32_MAX: all */
	const char *type;         /* Pyroscope's name of it, and that of its values */
	const char *value;
	uint64_t period;
	unsigned n; /* requests so far */
};

/* -- Pyroscope ------------------------------------------------------------------------------ */

static void add_label(struct byte_buffer *series, const char *name, const char *value)
{
	struct byte_buffer pair = { 0 };

	protobuf_field_bytes(&pair, LABEL_PAIR_NAME, name, strlen(name));
	protobuf_field_bytes(&pair, LABEL_PAIR_VALUE, value, strlen(value));
	protobuf_field_message(series, SERIES_LABELS, &pair);
	byte_buffer_deinit(&pair);
}

static void add_labels(struct byte_buffer *series, const struct part *part)
{
	const struct push_labels *labels = part->requests->labels;

	add_label(series, "__name__", part->type);
	add_label(series, PUSH_LABEL_SERVICE, part->service);
	if (part->host)
		add_label(series, PUSH_LABEL_HOST, part->host);
	for (size_t i = 0; i < labels->n; i++) {
		const struct push_label *label = &labels->labels[i];

		if (strcmp(label->name, PUSH_LABEL_SERVICE) != 0 &&
		    strcmp(label->name, PUSH_LABEL_HOST) != 0)
			add_label(series, label->name, label->value);
	}
}

static void build_push(const struct part *part, const struct request_body *raw, const char *id,
		       struct byte_buffer *message)
{
	struct byte_buffer series = { 0 }, sample = { 0 };

	add_labels(&series, part);
	protobuf_field_bytes(&sample, RAW_SAMPLE_PROFILE, raw->bytes, raw->size);
	protobuf_field_bytes(&sample, RAW_SAMPLE_ID, id, strlen(id));
	protobuf_field_message(&series, SERIES_SAMPLES, &sample);
	protobuf_field_message(message, PUSH_SERIES, &series);
	byte_buffer_deinit(&series);
	byte_buffer_deinit(&sample);
}

static uint64_t start_of(const struct profile *profile)
{
	const struct profile_info *info = &profile->info;

	return info->has_date ? info->start_ns + info->unix_offset_ns : 0;
}

/* *@size_ret: before it is compressed. */
static int write_pprof(const struct part *part, const struct profile *profile,
		       struct request_body *raw, size_t *size_ret)
{
	const struct pprof_metric written = {
		.index = part->metric,
		.name = part->value,
		.period = part->period,
		.time_ns = start_of(profile),
		.has_no_command = !part->requests->has_commands,
	};
	int err = request_body_open(raw);

	if (err)
		return err;
	err = pprof_write_metric(raw->stream, profile, part->symbolizer, &written, size_ret);
	return request_body_close(raw, err);
}

static int encode_pprof(const struct part *part, const struct profile *profile, const char *id,
			struct spool_request *request, char **body_ret, size_t *size_ret)
{
	struct byte_buffer message = { 0 };
	struct request_body raw;
	int err = write_pprof(part, profile, &raw, size_ret);

	if (!err)
		build_push(part, &raw, id, &message);
	free(raw.bytes);
	if (err || message.lacks_memory) {
		byte_buffer_deinit(&message);
		return err ? err : -ENOMEM;
	}
	request->type = "application/proto";
	request->size = message.size;
	*body_ret = (char *)message.bytes;
	return 0;
}

/* -- OTLP ----------------------------------------------------------------------------------- */

static int write_otlp(const struct part *part, const struct profile *profile, struct content_id id,
		      struct request_body *plain)
{
	const struct push_labels *labels = part->requests->labels;
	struct otlp_attribute attributes[PUSH_LABELS_MAX + 1];
	struct otlp_resource resource = {
		.service = part->service, .host = part->host, .attributes = attributes, .id = id
	};

	for (size_t i = 0; i < labels->n; i++) {
		const struct push_label *label = &labels->labels[i];

		if (strcmp(label->name, PUSH_LABEL_SERVICE) != 0 &&
		    strcmp(label->name, PUSH_LABEL_HOST) != 0)
			attributes[resource.n_attributes++] =
				(struct otlp_attribute){ label->name, label->value };
	}
	if (part->requests->has_commands && profile->info.command_line)
		attributes[resource.n_attributes++] =
			(struct otlp_attribute){ "dendro.command_line",
						 profile->info.command_line };
	int err = request_body_open(plain);
	if (err)
		return err;
	err = otlp_write_resource(plain->stream, profile, part->symbolizer, &resource);
	return request_body_close(plain, err);
}

static int encode_otlp(const struct part *part, const struct profile *profile, struct content_id id,
		       struct spool_request *request, char **body_ret, size_t *size_ret)
{
	struct request_body plain, packed = { 0 };
	int err = write_otlp(part, profile, id, &plain);

	if (!err)
		err = request_body_compress(&packed, plain.bytes, plain.size);
	*size_ret = plain.size;
	free(plain.bytes);
	if (err) {
		free(packed.bytes);
		return err;
	}
	request->type = "application/x-protobuf";
	request->encoding = REQUEST_GZIP;
	request->size = packed.size;
	*body_ret = packed.bytes;
	return 0;
}

/* -- requests ------------------------------------------------------------------------------- */

static bool is_too_large(const struct part *part, const struct profile *profile)
{
	return part->metric != UINT32_MAX &&
	       service_profile_count(profile, part->metric) > SAMPLES_MAX;
}

/* 0; -EFBIG: it is larger than servers take, and nothing was written; or -errno. */
static int add_whole(struct part *part, const struct profile *profile)
{
	const struct push_requests *requests = part->requests;
	const struct content_id id = content_id_add_number(part->window, part->n);
	struct spool_request request = { .url = requests->target->url };
	char text[CONTENT_ID_TEXT_SIZE];
	_cleanup_free_ char *body = NULL;
	size_t size = 0;

	if (is_too_large(part, profile))
		return -EFBIG;
	content_id_text(id, text);
	request.id = text;
	int err = requests->target->protocol == PUSH_PYROSCOPE
			  ? encode_pprof(part, profile, text, &request, &body, &size)
			  : encode_otlp(part, profile, id, &request, &body, &size);
	if (!err && size > SIZE_MAX_B)
		err = -EFBIG;
	request.body = body;
	if (err)
		return err;
	part->n++;
	err = spool_add(requests->spool, &request, requests->max_spool);
	return err == -EFBIG ? -ENOSPC : err;
}

/* The profile, or its halves, and theirs: as many as it takes. */
static int add_parts(struct part *part, const struct profile *profile)
{
	struct profile *halves[2];
	int err = add_whole(part, profile);

	if (err != -EFBIG)
		return err;
	err = service_profile_halve(profile, halves);
	if (err == -ENOENT) {
		part->requests->n_too_large++;
		return 0;
	}
	if (err)
		return err;
	for (unsigned i = 0; i < 2; i++) {
		const bool has_any =
			part->metric == UINT32_MAX || halves[i]->metrics[part->metric].samples;

		if (!err && has_any)
			err = add_parts(part, halves[i]);
		service_profile_destroy(halves[i]);
	}
	return err;
}

static bool is_time_on_cpu(const struct metric *metric)
{
	return strcmp(metric->unit, "ns") == 0 && (strncmp(metric->name, "cpu-clock", 9) == 0 ||
						   strncmp(metric->name, "task-clock", 10) == 0);
}

/* The first event that counts time on CPUs is what users of Pyroscope know as process_cpu. */
static uint32_t find_cpu_metric(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (profile->metrics[i].samples && is_time_on_cpu(&profile->metrics[i]))
			return i;
	}
	return UINT32_MAX;
}

/* Pyroscope selects by names in which a hyphen or a colon is something else. Heap; NULL: no memory.
 */
static char *plain_name(const char *name)
{
	char *plain = strdup(name);

	for (char *c = plain; c && *c; c++) {
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
		      (*c >= '0' && *c <= '9')))
			*c = '_';
	}
	return plain;
}

/* Likewise; no two events have the same one. */
static char *type_of(const struct profile *profile, uint32_t index)
{
	char *name = plain_name(profile->metrics[index].name);

	for (uint32_t i = 0; name && i < index; i++) {
		_cleanup_free_ char *other = plain_name(profile->metrics[i].name);

		if (other && strcmp(other, name) != 0)
			continue;
		char *numbered = other ? sentence("%s_%u", name, index) : NULL;
		free(name);
		return numbered;
	}
	return name;
}

/* @whole: whose metrics decide, so that they are the same of all services. */
static int add_metric(struct part *part, const struct profile *profile, const struct profile *whole,
		      uint32_t metric)
{
	const bool is_cpu = metric == find_cpu_metric(whole);
	_cleanup_free_ char *type = type_of(whole, metric);
	const struct content_id window = part->window;

	if (!type)
		return -ENOMEM;
	part->metric = metric;
	part->type = is_cpu ? "process_cpu" : type;
	part->value = is_cpu ? "cpu" : type;
	part->period = whole->metrics[metric].total / whole->metrics[metric].samples;
	part->window = content_id_add(window, part->type);
	part->n = 0;
	int err = add_parts(part, profile);
	part->window = window;
	return err;
}

static int add_service(struct part *part, const struct profile *profile,
		       const struct profile *whole)
{
	int err = 0;

	part->metric = UINT32_MAX;
	part->n = 0;
	if (part->requests->target->protocol == PUSH_OTLP)
		return add_parts(part, profile);
	for (uint32_t i = 0; i < profile->n_metrics && !err; i++) {
		if (profile->metrics[i].samples)
			err = add_metric(part, profile, whole, i);
	}
	return err;
}

/* What tells this profile from those of other times and machines. */
static struct content_id identify(const struct profile *profile, const char *host)
{
	const struct profile_info *info = &profile->info;
	struct content_id id = content_id_add(content_id_start(), host);

	id = content_id_add(id, info->command_line);
	id = content_id_add_number(id, start_of(profile));
	id = content_id_add_number(id, info->start_ns);
	id = content_id_add_number(id, info->end_ns);
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		id = content_id_add(id, profile->metrics[i].name);
		id = content_id_add_number(id, profile->metrics[i].samples);
		id = content_id_add_number(id, profile->metrics[i].total);
	}
	return id;
}

/* Names come from programs and machines, and must not be more than names to whoever shows them. */
static int add_services(struct part *part, const struct service_profiles *services,
			const struct profile *whole)
{
	const struct content_id window = identify(whole, part->host);
	int err = 0;

	for (uint32_t i = 0; i < services->names.n_strings && !err; i++) {
		_cleanup_free_ char *service = printable_copy(services->names.strings[i]);

		if (!service)
			return -ENOMEM;
		part->service = service;
		part->window = content_id_add(window, service);
		err = add_service(part, services->profiles[i], whole);
		part->requests->n_services++;
	}
	return err;
}

char *push_requests_host(const struct push_requests *requests, const struct profile *profile)
{
	const char *given = push_labels_find(requests->labels, PUSH_LABEL_HOST);
	const char *host = given ? given : profile->info.hostname;

	return printable_copy(host ? host : "");
}

int push_requests_add(struct push_requests *requests, const struct profile *profile,
		      struct symbolizer *symbolizer)
{
	_cleanup_free_ char *host = push_requests_host(requests, profile);
	struct part part = { .requests = requests, .symbolizer = symbolizer };
	struct service_profiles services;

	if (!host)
		return -ENOMEM;
	part.host = host[0] ? host : NULL;
	int err = service_profiles_init(&services, profile,
					push_labels_find(requests->labels, PUSH_LABEL_SERVICE));
	if (!err)
		err = add_services(&part, &services, profile);
	service_profiles_deinit(&services);
	return err;
}
