#include "report/verify/verify_pprof.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/sorted.h"
#include "report/pprof/pprof_fields.h"
#include "report/verify/gunzip.h"
#include "report/verify/protobuf_reader.h"

/* What has an ID: a mapping, which has addresses, too, a location or a function. */
struct identified {
	uint64_t id, start, limit;
};

struct ids {
	struct identified *all; /* by ID */
	size_t n, n_allocated;
};

struct checker {
	struct verification *verification;
	struct protobuf_slice profile;
	struct ids mappings, locations, functions;
	struct protobuf_numbers numbers, keys; /* reused */
	uint64_t n_strings, n_types;
};

typedef bool check_message(struct checker *checker, const struct protobuf_slice *message,
			   size_t number);

static int compare_ids(const void *a, const void *b)
{
	const struct identified *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static const struct identified *find(const struct ids *ids, uint64_t id)
{
	const size_t n = sorted_count(ids->n, i, ids->all[i].id <= id);

	return n && ids->all[n - 1].id == id ? &ids->all[n - 1] : NULL;
}

/* -- first pass: what there is -------------------------------------------------------------- */

static bool add_id(struct checker *checker, struct ids *ids, const struct protobuf_slice *message)
{
	const struct identified new = {
		.id = protobuf_read_number(message, MAPPING_ID),
		.start = protobuf_read_number(message, MAPPING_START),
		.limit = protobuf_read_number(message, MAPPING_LIMIT),
	};

	static_assert(MAPPING_ID == (int)LOCATION_ID && MAPPING_ID == (int)FUNCTION_ID,
		      "one function reads the IDs of all");
	if (array_reserve(ids->all, ids->n, ids->n_allocated, 1))
		return verification_lacks_memory(checker->verification);
	ids->all[ids->n++] = new;
	return true;
}

static bool add_field(struct checker *checker, const struct protobuf_field *field)
{
	switch (field->number) {
	case PROFILE_STRING:
		return verification_text(checker->verification, field->slice.bytes,
					 field->slice.size, "string", checker->n_strings++);
	case PROFILE_SAMPLE_TYPE:
		checker->n_types++;
		return true;
	case PROFILE_MAPPING:
		return add_id(checker, &checker->mappings, &field->slice);
	case PROFILE_LOCATION:
		return add_id(checker, &checker->locations, &field->slice);
	case PROFILE_FUNCTION:
		return add_id(checker, &checker->functions, &field->slice);
	default:
		return true;
	}
}

static bool sort_ids(struct checker *checker, struct ids *ids, const char *what)
{
	if (ids->n)
		qsort(ids->all, ids->n, sizeof(*ids->all), compare_ids);
	if (ids->n && !ids->all[0].id)
		return verification_fail(checker->verification, "a %s has the ID 0", what);
	for (size_t i = 1; i < ids->n; i++) {
		if (ids->all[i].id == ids->all[i - 1].id)
			return verification_fail(checker->verification,
						 "two %ss have the ID %" PRIu64, what,
						 ids->all[i].id);
	}
	return true;
}

static bool collect(struct checker *checker)
{
	struct protobuf_field field;
	size_t at = 0;
	int got;

	while ((got = protobuf_read(&checker->profile, &at, &field)) > 0) {
		if (field.number == PROFILE_STRING && !checker->n_strings && field.slice.size)
			return verification_fail(checker->verification, "string 0 is not empty");
		if (!add_field(checker, &field))
			return false;
	}
	if (got < 0)
		return verification_fail(checker->verification,
					 "the bytes before offset %zu are malformed", at);
	if (!checker->n_strings)
		return verification_fail(checker->verification, "there are no strings");
	if (!checker->n_types)
		return verification_fail(checker->verification, "there are no sample types");
	return sort_ids(checker, &checker->mappings, "mapping") &&
	       sort_ids(checker, &checker->locations, "location") &&
	       sort_ids(checker, &checker->functions, "function");
}

/* -- second pass: what refers to it --------------------------------------------------------- */

static bool check_string(struct checker *checker, const struct protobuf_slice *message,
			 uint64_t field, const char *what, size_t number)
{
	const uint64_t string = protobuf_read_number(message, field);

	return string < checker->n_strings ||
	       verification_fail(checker->verification,
				 "%s %zu: there is no string %" PRIu64 " among %" PRIu64, what,
				 number, string, checker->n_strings);
}

static bool check_type(struct checker *checker, const struct protobuf_slice *message, size_t number)
{
	return check_string(checker, message, VALUE_TYPE_TYPE, "sample type", number) &&
	       check_string(checker, message, VALUE_TYPE_UNIT, "sample type", number);
}

static bool check_mapping(struct checker *checker, const struct protobuf_slice *message,
			  size_t number)
{
	if (protobuf_read_number(message, MAPPING_LIMIT) <
	    protobuf_read_number(message, MAPPING_START))
		return verification_fail(checker->verification,
					 "mapping %zu: its limit is below its start", number);
	return check_string(checker, message, MAPPING_FILE, "mapping", number) &&
	       check_string(checker, message, MAPPING_BUILD_ID, "mapping", number);
}

static bool check_function(struct checker *checker, const struct protobuf_slice *message,
			   size_t number)
{
	return check_string(checker, message, FUNCTION_NAME, "function", number) &&
	       check_string(checker, message, FUNCTION_SYMBOL, "function", number) &&
	       check_string(checker, message, FUNCTION_FILE, "function", number);
}

static bool check_lines(struct checker *checker, const struct protobuf_slice *message,
			size_t number)
{
	struct protobuf_field field;
	size_t at = 0;
	int got;

	while ((got = protobuf_read(message, &at, &field)) > 0) {
		const uint64_t function = protobuf_read_number(&field.slice, LINE_FUNCTION);

		if (field.number == LOCATION_LINE && !find(&checker->functions, function))
			return verification_fail(checker->verification,
						 "location %zu: there is no function %" PRIu64,
						 number, function);
	}
	return !got ||
	       verification_fail(checker->verification, "location %zu is malformed", number);
}

static bool check_location(struct checker *checker, const struct protobuf_slice *message,
			   size_t number)
{
	const uint64_t id = protobuf_read_number(message, LOCATION_MAPPING);
	const uint64_t address = protobuf_read_number(message, LOCATION_ADDRESS);
	const struct identified *mapping = find(&checker->mappings, id);

	if (id && !mapping)
		return verification_fail(checker->verification,
					 "location %zu: there is no mapping %" PRIu64, number, id);
	if (mapping && (address < mapping->start || address >= mapping->limit))
		return verification_fail(checker->verification,
					 "location %zu: its address 0x%" PRIx64
					 " is outside mapping %" PRIu64,
					 number, address, id);
	return check_lines(checker, message, number);
}

static bool check_label(struct checker *checker, const struct protobuf_slice *label, size_t number)
{
	struct protobuf_numbers *keys = &checker->keys;
	const uint64_t key = protobuf_read_number(label, LABEL_KEY);

	if (!key)
		return verification_fail(checker->verification,
					 "sample %zu has a label without a key", number);
	if (protobuf_read_number(label, LABEL_TEXT) && protobuf_read_number(label, LABEL_NUMBER))
		return verification_fail(checker->verification,
					 "sample %zu has a label with a text and a number", number);
	if (array_reserve(keys->all, keys->n, keys->n_allocated, 1))
		return verification_lacks_memory(checker->verification);
	keys->all[keys->n++] = key;
	return check_string(checker, label, LABEL_KEY, "a label of sample", number) &&
	       check_string(checker, label, LABEL_TEXT, "a label of sample", number);
}

static bool check_labels(struct checker *checker, const struct protobuf_slice *message,
			 size_t number)
{
	struct protobuf_field field;
	size_t at = 0;

	checker->keys.n = 0;
	while (protobuf_read(message, &at, &field) > 0) {
		if (field.number == SAMPLE_LABEL && !check_label(checker, &field.slice, number))
			return false;
	}
	return !protobuf_numbers_repeat(&checker->keys) ||
	       verification_fail(checker->verification, "sample %zu has two labels with one key",
				 number);
}

static bool read_numbers(struct checker *checker, const struct protobuf_slice *message,
			 uint64_t field, size_t number)
{
	const int err = protobuf_read_numbers(message, field, &checker->numbers);

	if (err == -ENOMEM)
		return verification_lacks_memory(checker->verification);
	return !err || verification_fail(checker->verification, "sample %zu is malformed", number);
}

static bool check_sample(struct checker *checker, const struct protobuf_slice *message,
			 size_t number)
{
	if (!read_numbers(checker, message, SAMPLE_LOCATIONS, number))
		return false;
	for (size_t i = 0; i < checker->numbers.n; i++) {
		if (!find(&checker->locations, checker->numbers.all[i]))
			return verification_fail(checker->verification,
						 "sample %zu: there is no location %" PRIu64,
						 number, checker->numbers.all[i]);
	}
	if (!read_numbers(checker, message, SAMPLE_VALUES, number))
		return false;
	if (checker->numbers.n != checker->n_types)
		return verification_fail(checker->verification,
					 "sample %zu has %zu values for %" PRIu64 " sample types",
					 number, checker->numbers.n, checker->n_types);
	return check_labels(checker, message, number);
}

/* Messages of a kind are numbered from 1 on. */
static bool check_all(struct checker *checker, uint64_t kind, check_message *check)
{
	struct protobuf_field field;
	size_t at = 0, number = 0;

	while (protobuf_read(&checker->profile, &at, &field) > 0) {
		if (field.number == kind && !check(checker, &field.slice, ++number))
			return false;
	}
	return true;
}

static bool check_profile(struct checker *checker)
{
	return collect(checker) && check_all(checker, PROFILE_SAMPLE_TYPE, check_type) &&
	       check_all(checker, PROFILE_MAPPING, check_mapping) &&
	       check_all(checker, PROFILE_FUNCTION, check_function) &&
	       check_all(checker, PROFILE_LOCATION, check_location) &&
	       check_all(checker, PROFILE_SAMPLE, check_sample) &&
	       check_string(checker, &checker->profile, PROFILE_DEFAULT_SAMPLE_TYPE,
			    "the default sample type of profile", 1);
}

void verify_pprof(struct verification *verification, const uint8_t *bytes, size_t size)
{
	struct checker checker = { .verification = verification, .profile = { bytes, size } };
	uint8_t *expanded = NULL;

	if (gunzip_recognizes(bytes, size) &&
	    gunzip(verification, bytes, size, &expanded, &checker.profile.size))
		checker.profile.bytes = expanded;
	if (!verification->problem && !verification->lacks_memory)
		check_profile(&checker);
	free(expanded);
	free(checker.mappings.all);
	free(checker.locations.all);
	free(checker.functions.all);
	free(checker.numbers.all);
	free(checker.keys.all);
}
