#include "report/verify/verify_otlp.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/text/string_ids.h"
#include "report/verify/otlp_dictionary.h"

struct checker {
	struct verification *verification;
	struct otlp_dictionary dictionary;
	struct string_ids identities; /* of the samples of the profile at hand */
	struct protobuf_numbers values;
	size_t n_profiles, n_samples;
};

typedef bool check_message(struct checker *checker, const struct protobuf_slice *message);

/* Checks all messages in a field. */
static bool check_each(struct checker *checker, const struct protobuf_slice *message,
		       uint64_t number, check_message *check)
{
	struct protobuf_field field;
	size_t at = 0;
	int got;

	while ((got = protobuf_read(message, &at, &field)) > 0) {
		if (field.number == number && !check(checker, &field.slice))
			return false;
	}
	return !got ||
	       verification_fail(checker->verification, "a message is malformed after profile %zu",
				 checker->n_profiles);
}

/* "STACK LINK ATTRIBUTE...", in order; NULL: out of memory. */
static char *identity_of(struct protobuf_numbers *attributes, uint64_t stack, uint64_t link)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	protobuf_numbers_repeat(attributes); /* sorts */
	fprintf(out, "%" PRIu64 " %" PRIu64, stack, link);
	for (size_t i = 0; i < attributes->n; i++)
		fprintf(out, " %" PRIu64, attributes->all[i]);
	return fclose(out) ? NULL : text;
}

static bool check_identity(struct checker *checker, const struct protobuf_slice *sample)
{
	const uint64_t stack = protobuf_read_number(sample, OTLP_SAMPLE_STACK);
	const uint64_t link = protobuf_read_number(sample, OTLP_SAMPLE_LINK);
	uint32_t number;
	bool is_new;

	if (!otlp_dictionary_check(&checker->dictionary, OTLP_STACK_TABLE, stack, "sample",
				   checker->n_samples) ||
	    !otlp_dictionary_check(&checker->dictionary, OTLP_LINK_TABLE, link, "sample",
				   checker->n_samples) ||
	    !otlp_dictionary_check_attributes(&checker->dictionary, sample, OTLP_SAMPLE_ATTRIBUTES,
					      "sample", checker->n_samples))
		return false;
	if (protobuf_read_numbers(sample, OTLP_SAMPLE_ATTRIBUTES, &checker->values))
		return verification_lacks_memory(checker->verification);
	_cleanup_free_ char *identity = identity_of(&checker->values, stack, link);
	if (!identity || string_ids_add(&checker->identities, identity, &number, &is_new))
		return verification_lacks_memory(checker->verification);
	return is_new || verification_fail(checker->verification,
					   "samples %" PRIu32 " and %zu of profile %zu have the "
					   "same stack and attributes",
					   number + 1, checker->n_samples, checker->n_profiles);
}

/* Times are packed, 8 bytes each. */
static bool check_values(struct checker *checker, const struct protobuf_slice *sample)
{
	const size_t size = protobuf_read_slice(sample, OTLP_SAMPLE_TIMES).size;
	const int err = protobuf_read_numbers(sample, OTLP_SAMPLE_VALUES, &checker->values);

	if (err == -ENOMEM)
		return verification_lacks_memory(checker->verification);
	if (err || size % sizeof(uint64_t))
		return verification_fail(checker->verification, "sample %zu is malformed",
					 checker->n_samples);
	if (!checker->values.n && !size)
		return verification_fail(checker->verification,
					 "sample %zu has neither values nor times",
					 checker->n_samples);
	return !checker->values.n || !size || checker->values.n == size / sizeof(uint64_t) ||
	       verification_fail(checker->verification, "sample %zu has %zu values and %zu times",
				 checker->n_samples, checker->values.n, size / sizeof(uint64_t));
}

static bool check_sample(struct checker *checker, const struct protobuf_slice *sample)
{
	checker->n_samples++;
	return check_identity(checker, sample) && check_values(checker, sample);
}

static bool check_type(struct checker *checker, const struct protobuf_slice *profile)
{
	const struct protobuf_slice type = protobuf_read_slice(profile, OTLP_SAMPLE_TYPE);

	return otlp_dictionary_check_field(&checker->dictionary, &type, OTLP_TYPE,
					   OTLP_STRING_TABLE, "the type of profile",
					   checker->n_profiles) &&
	       otlp_dictionary_check_field(&checker->dictionary, &type, OTLP_UNIT,
					   OTLP_STRING_TABLE, "the type of profile",
					   checker->n_profiles);
}

/* The times of one sample. */
static bool check_times(struct checker *checker, const struct protobuf_slice *sample,
			uint64_t start, uint64_t duration)
{
	const struct protobuf_slice times = protobuf_read_slice(sample, OTLP_SAMPLE_TIMES);

	for (size_t i = 0; i + sizeof(uint64_t) <= times.size; i += sizeof(uint64_t)) {
		uint64_t time;

		memcpy(&time, times.bytes + i, sizeof(time));
		if (le64toh(time) - start >= duration)
			return verification_fail(checker->verification,
						 "profile %zu: a sample has the time %" PRIu64
						 ", which is outside of it",
						 checker->n_profiles, le64toh(time));
	}
	return true;
}

static bool check_all_times(struct checker *checker, const struct protobuf_slice *profile)
{
	const uint64_t start = protobuf_read_number(profile, OTLP_TIME);
	const uint64_t duration = protobuf_read_number(profile, OTLP_DURATION);
	struct protobuf_field field;
	size_t at = 0;

	while (protobuf_read(profile, &at, &field) > 0) {
		if (field.number == OTLP_SAMPLES &&
		    !check_times(checker, &field.slice, start, duration))
			return false;
	}
	return true;
}

static bool check_profile(struct checker *checker, const struct protobuf_slice *profile)
{
	checker->n_profiles++;
	checker->n_samples = 0;
	string_ids_deinit(&checker->identities);
	checker->identities = (struct string_ids){ 0 };
	return check_type(checker, profile) &&
	       check_each(checker, profile, OTLP_SAMPLES, check_sample) &&
	       check_all_times(checker, profile);
}

static bool check_scope(struct checker *checker, const struct protobuf_slice *scope)
{
	return check_each(checker, scope, OTLP_PROFILES, check_profile);
}

static bool check_resource(struct checker *checker, const struct protobuf_slice *resource)
{
	return check_each(checker, resource, OTLP_SCOPE_PROFILES, check_scope);
}

void verify_otlp(struct verification *verification, const uint8_t *bytes, size_t size)
{
	struct checker checker = { .verification = verification };
	const struct protobuf_slice message = { bytes, size };
	const struct protobuf_slice dictionary = protobuf_read_slice(&message, OTLP_DICTIONARY);

	if (otlp_dictionary_read(&checker.dictionary, verification, &dictionary))
		check_each(&checker, &message, OTLP_RESOURCE_PROFILES, check_resource);
	otlp_dictionary_deinit(&checker.dictionary);
	string_ids_deinit(&checker.identities);
	free(checker.values.all);
}
