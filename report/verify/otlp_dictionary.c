#include "report/verify/otlp_dictionary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"

static const char *const names[N_OTLP_TABLES] = {
	[OTLP_MAPPING_TABLE] = "mapping",   [OTLP_LOCATION_TABLE] = "location",
	[OTLP_FUNCTION_TABLE] = "function", [OTLP_LINK_TABLE] = "link",
	[OTLP_STRING_TABLE] = "string",     [OTLP_ATTRIBUTE_TABLE] = "attribute",
	[OTLP_STACK_TABLE] = "stack",
};

typedef bool check_entry(struct otlp_dictionary *dictionary, const struct protobuf_slice *entry,
			 size_t number);

/* -- references ----------------------------------------------------------------------------- */

bool otlp_dictionary_check(struct otlp_dictionary *dictionary, enum otlp_dictionary_field table,
			   uint64_t index, const char *what, size_t number)
{
	return index < dictionary->tables[table].n ||
	       verification_fail(dictionary->verification,
				 "%s %zu: there is no %s %" PRIu64 " in the table of %zu", what,
				 number, names[table], index, dictionary->tables[table].n);
}

bool otlp_dictionary_check_field(struct otlp_dictionary *dictionary,
				 const struct protobuf_slice *message, uint64_t field,
				 enum otlp_dictionary_field table, const char *what, size_t number)
{
	return otlp_dictionary_check(dictionary, table, protobuf_read_number(message, field), what,
				     number);
}

static bool read_numbers(struct otlp_dictionary *dictionary, const struct protobuf_slice *message,
			 uint64_t field, const char *what, size_t number)
{
	const int err = protobuf_read_numbers(message, field, &dictionary->numbers);

	if (err == -ENOMEM)
		return verification_lacks_memory(dictionary->verification);
	return !err ||
	       verification_fail(dictionary->verification, "%s %zu is malformed", what, number);
}

static uint64_t key_of(const struct otlp_dictionary *dictionary, uint64_t attribute)
{
	return protobuf_read_number(&dictionary->tables[OTLP_ATTRIBUTE_TABLE].entries[attribute],
				    OTLP_ATTRIBUTE_KEY);
}

bool otlp_dictionary_check_attributes(struct otlp_dictionary *dictionary,
				      const struct protobuf_slice *message, uint64_t field,
				      const char *what, size_t number)
{
	struct protobuf_numbers *list = &dictionary->numbers;

	if (!read_numbers(dictionary, message, field, what, number))
		return false;
	for (size_t i = 0; i < list->n; i++) {
		if (!otlp_dictionary_check(dictionary, OTLP_ATTRIBUTE_TABLE, list->all[i], what,
					   number))
			return false;
		list->all[i] = key_of(dictionary, list->all[i]);
	}
	return !protobuf_numbers_repeat(list) ||
	       verification_fail(dictionary->verification, "%s %zu has two attributes with one key",
				 what, number);
}

/* -- entries -------------------------------------------------------------------------------- */

static bool check_mapping(struct otlp_dictionary *dictionary, const struct protobuf_slice *entry,
			  size_t number)
{
	if (protobuf_read_number(entry, OTLP_MAPPING_LIMIT) <
	    protobuf_read_number(entry, OTLP_MAPPING_START))
		return verification_fail(dictionary->verification,
					 "mapping %zu: its limit is below its start", number);
	return otlp_dictionary_check_field(dictionary, entry, OTLP_MAPPING_FILE, OTLP_STRING_TABLE,
					   "mapping", number) &&
	       otlp_dictionary_check_attributes(dictionary, entry, OTLP_MAPPING_ATTRIBUTES,
						"mapping", number);
}

static bool check_lines(struct otlp_dictionary *dictionary, const struct protobuf_slice *entry,
			size_t number)
{
	struct protobuf_field field;
	size_t at = 0;

	while (protobuf_read(entry, &at, &field) > 0) {
		if (field.number == OTLP_LOCATION_LINES &&
		    !otlp_dictionary_check_field(dictionary, &field.slice, OTLP_LINE_FUNCTION,
						 OTLP_FUNCTION_TABLE, "location", number))
			return false;
	}
	return true;
}

static bool check_location(struct otlp_dictionary *dictionary, const struct protobuf_slice *entry,
			   size_t number)
{
	const uint64_t index = protobuf_read_number(entry, OTLP_LOCATION_MAPPING);
	const uint64_t address = protobuf_read_number(entry, OTLP_LOCATION_ADDRESS);

	if (!otlp_dictionary_check(dictionary, OTLP_MAPPING_TABLE, index, "location", number))
		return false;
	const struct protobuf_slice *mapping =
		&dictionary->tables[OTLP_MAPPING_TABLE].entries[index];
	if (index && (address < protobuf_read_number(mapping, OTLP_MAPPING_START) ||
		      address >= protobuf_read_number(mapping, OTLP_MAPPING_LIMIT)))
		return verification_fail(dictionary->verification,
					 "location %zu: its address 0x%" PRIx64
					 " is outside mapping %" PRIu64,
					 number, address, index);
	return check_lines(dictionary, entry, number) &&
	       otlp_dictionary_check_attributes(dictionary, entry, OTLP_LOCATION_ATTRIBUTES,
						"location", number);
}

static bool check_function(struct otlp_dictionary *dictionary, const struct protobuf_slice *entry,
			   size_t number)
{
	return otlp_dictionary_check_field(dictionary, entry, OTLP_FUNCTION_NAME, OTLP_STRING_TABLE,
					   "function", number) &&
	       otlp_dictionary_check_field(dictionary, entry, OTLP_FUNCTION_SYMBOL,
					   OTLP_STRING_TABLE, "function", number) &&
	       otlp_dictionary_check_field(dictionary, entry, OTLP_FUNCTION_FILE, OTLP_STRING_TABLE,
					   "function", number);
}

static bool check_string(struct otlp_dictionary *dictionary, const struct protobuf_slice *entry,
			 size_t number)
{
	return verification_text(dictionary->verification, entry->bytes, entry->size, "string",
				 number);
}

static bool check_attribute(struct otlp_dictionary *dictionary, const struct protobuf_slice *entry,
			    size_t number)
{
	if (number && !protobuf_read_number(entry, OTLP_ATTRIBUTE_KEY))
		return verification_fail(dictionary->verification, "attribute %zu has no key",
					 number);
	return otlp_dictionary_check_field(dictionary, entry, OTLP_ATTRIBUTE_KEY, OTLP_STRING_TABLE,
					   "attribute", number);
}

static bool check_stack(struct otlp_dictionary *dictionary, const struct protobuf_slice *entry,
			size_t number)
{
	struct protobuf_numbers *list = &dictionary->numbers;

	if (!read_numbers(dictionary, entry, OTLP_STACK_LOCATIONS, "stack", number))
		return false;
	for (size_t i = 0; i < list->n; i++) {
		if (!otlp_dictionary_check(dictionary, OTLP_LOCATION_TABLE, list->all[i], "stack",
					   number))
			return false;
	}
	return true;
}

/* -- tables --------------------------------------------------------------------------------- */

static int compare_slices(const void *a, const void *b)
{
	const struct protobuf_slice *x = a, *y = b;
	const size_t size = x->size < y->size ? x->size : y->size;
	const int order = size ? memcmp(x->bytes, y->bytes, size) : 0;

	return order ? order : (x->size > y->size) - (x->size < y->size);
}

/* The entry's number in its table. */
static size_t number_of(const struct otlp_table *table, const struct protobuf_slice *entry)
{
	size_t i = 0;

	while (table->entries[i].bytes != entry->bytes)
		i++;
	return i;
}

static bool check_duplicates(struct otlp_dictionary *dictionary, unsigned kind)
{
	const struct otlp_table *table = &dictionary->tables[kind];
	_cleanup_free_ struct protobuf_slice *sorted = calloc(table->n + 1, sizeof(*sorted));

	if (!sorted)
		return verification_lacks_memory(dictionary->verification);
	memcpy(sorted, table->entries, table->n * sizeof(*sorted));
	qsort(sorted, table->n, sizeof(*sorted), compare_slices);
	for (size_t i = 1; i < table->n; i++) {
		if (compare_slices(&sorted[i - 1], &sorted[i]) == 0)
			return verification_fail(
				dictionary->verification, "%ss %zu and %zu are equal", names[kind],
				number_of(table, &sorted[i - 1]), number_of(table, &sorted[i]));
	}
	return true;
}

static bool check_table(struct otlp_dictionary *dictionary, unsigned kind, check_entry *check)
{
	const struct otlp_table *table = &dictionary->tables[kind];

	for (size_t i = 0; check && i < table->n; i++) {
		if (!check(dictionary, &table->entries[i], i))
			return false;
	}
	return check_duplicates(dictionary, kind);
}

static bool add_entry(struct otlp_dictionary *dictionary, const struct protobuf_field *field)
{
	struct otlp_table *table;

	if (!field->has_slice || field->number >= N_OTLP_TABLES)
		return true;
	table = &dictionary->tables[field->number];
	if (array_reserve(table->entries, table->n, table->n_allocated, 1))
		return verification_lacks_memory(dictionary->verification);
	table->entries[table->n++] = field->slice;
	return true;
}

/* Every entry is a message, but for strings. */
static bool check_zeros(struct otlp_dictionary *dictionary)
{
	for (unsigned kind = OTLP_MAPPING_TABLE; kind <= OTLP_STACK_TABLE; kind++) {
		const struct otlp_table *table = &dictionary->tables[kind];

		if (!table->n ||
		    (kind == OTLP_STRING_TABLE ? table->entries[0].size
					       : !protobuf_is_zero(&table->entries[0])))
			return verification_fail(dictionary->verification,
						 "%s 0 is missing, or is not the zero value",
						 names[kind]);
	}
	return true;
}

bool otlp_dictionary_read(struct otlp_dictionary *dictionary, struct verification *verification,
			  const struct protobuf_slice *message)
{
	static check_entry *const checks[N_OTLP_TABLES] = {
		[OTLP_MAPPING_TABLE] = check_mapping,     [OTLP_LOCATION_TABLE] = check_location,
		[OTLP_FUNCTION_TABLE] = check_function,   [OTLP_STRING_TABLE] = check_string,
		[OTLP_ATTRIBUTE_TABLE] = check_attribute, [OTLP_STACK_TABLE] = check_stack,
	};
	struct protobuf_field field;
	size_t at = 0;
	int got;

	dictionary->verification = verification;
	while ((got = protobuf_read(message, &at, &field)) > 0) {
		if (!add_entry(dictionary, &field))
			return false;
	}
	if (got < 0)
		return verification_fail(verification, "the dictionary is malformed");
	if (!check_zeros(dictionary))
		return false;
	for (unsigned kind = OTLP_MAPPING_TABLE; kind <= OTLP_STACK_TABLE; kind++) {
		if (!check_table(dictionary, kind, checks[kind]))
			return false;
	}
	return true;
}

void otlp_dictionary_deinit(struct otlp_dictionary *dictionary)
{
	for (unsigned kind = 0; kind < N_OTLP_TABLES; kind++)
		free(dictionary->tables[kind].entries);
	free(dictionary->numbers.all);
}
