#include "report/verify/verify_speedscope.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "report/verify/gunzip.h"
#include "report/verify/json_reader.h"

#define TOLERANCE 1e-9L /* of a sum: numbers may have fractions */

struct checker {
	struct json_reader reader;
	struct json_text text;
	size_t frames_at, profiles_at; /* bytes; 0: there are none */
	uint64_t n_frames, n_profiles;
	uint64_t active; /* UINT64_MAX: none is chosen */
	uint64_t *open;  /* frames that have begun, outermost first */
	size_t n_open, n_open_allocated;
};

/* A profile of the file, numbered from 0 as its readers do. */
struct part {
	size_t number;
	size_t n_samples, n_weights, n_events;
	long double start, end, sum, last;
	bool has_start, has_end, is_evented, has_type;
};

static bool fail(struct checker *checker, const struct part *part, const char *problem)
{
	return verification_fail(checker->reader.verification, "profile %zu: %s", part->number,
				 problem);
}

static bool check_frame(struct checker *checker, const struct part *part, const char *what,
			size_t number, uint64_t *frame_ret)
{
	if (!json_read_index(&checker->reader, frame_ret))
		return false;
	return *frame_ret < checker->n_frames ||
	       verification_fail(checker->reader.verification,
				 "profile %zu, %s %zu: there is no frame %" PRIu64
				 " in the table of %" PRIu64,
				 part->number, what, number, *frame_ret, checker->n_frames);
}

/* -- sampled ---------------------------------------------------------------------------------- */

static bool check_samples(struct checker *checker, struct part *part)
{
	struct json_reader *reader = &checker->reader;
	struct json_items samples, stack;
	uint64_t frame;

	json_start(reader, &samples, JSON_ARRAY);
	while (json_next(reader, &samples)) {
		json_start(reader, &stack, JSON_ARRAY);
		while (json_next(reader, &stack))
			check_frame(checker, part, "sample", part->n_samples, &frame);
		part->n_samples++;
	}
	return json_is_sound(reader);
}

static bool check_weights(struct checker *checker, struct part *part)
{
	struct json_reader *reader = &checker->reader;
	struct json_items items;
	long double weight = 0;

	json_start(reader, &items, JSON_ARRAY);
	while (json_next(reader, &items)) {
		if (json_read_number(reader, &weight) && weight < 0)
			verification_fail(reader->verification,
					  "profile %zu: weight %zu is negative", part->number,
					  part->n_weights);
		part->sum += weight;
		part->n_weights++;
	}
	return json_is_sound(reader);
}

/* -- evented ---------------------------------------------------------------------------------- */

struct event {
	uint64_t frame;
	long double at;
	bool has_frame, has_time, opens, closes;
};

static bool read_event(struct checker *checker, const struct part *part, struct event *event)
{
	struct json_reader *reader = &checker->reader;
	struct json_items items;

	*event = (struct event){ .frame = 0 };
	json_start(reader, &items, JSON_OBJECT);
	while (json_next(reader, &items)) {
		if (strcmp(items.key, "type") == 0 && json_read_text(reader, &checker->text)) {
			event->opens = strcmp(checker->text.bytes, "O") == 0;
			event->closes = strcmp(checker->text.bytes, "C") == 0;
		} else if (strcmp(items.key, "frame") == 0) {
			event->has_frame =
				check_frame(checker, part, "event", part->n_events, &event->frame);
		} else if (strcmp(items.key, "at") == 0) {
			event->has_time = json_read_number(reader, &event->at);
		} else {
			json_skip(reader);
		}
	}
	if (!json_is_sound(reader))
		return false;
	return (event->has_frame && event->has_time && (event->opens || event->closes)) ||
	       verification_fail(reader->verification,
				 "profile %zu: event %zu lacks its type, frame or time",
				 part->number, part->n_events);
}

static bool check_event(struct checker *checker, struct part *part)
{
	struct verification *verification = checker->reader.verification;
	struct event event;

	if (!read_event(checker, part, &event))
		return false;
	if (part->n_events && event.at < part->last)
		return verification_fail(verification, "profile %zu: event %zu is before the last",
					 part->number, part->n_events);
	part->last = event.at;
	part->sum = event.at;
	if (event.opens) {
		if (array_reserve(checker->open, checker->n_open, checker->n_open_allocated, 1))
			return verification_lacks_memory(verification);
		checker->open[checker->n_open++] = event.frame;
		return true;
	}
	if (!checker->n_open || checker->open[--checker->n_open] != event.frame)
		return verification_fail(verification,
					 "profile %zu: event %zu ends frame %" PRIu64
					 ", which is not the innermost",
					 part->number, part->n_events, event.frame);
	return true;
}

static bool check_events(struct checker *checker, struct part *part)
{
	struct json_reader *reader = &checker->reader;
	struct json_items items;

	checker->n_open = 0;
	json_start(reader, &items, JSON_ARRAY);
	while (json_next(reader, &items)) {
		check_event(checker, part);
		part->n_events++;
	}
	if (!json_is_sound(reader))
		return false;
	return !checker->n_open || verification_fail(reader->verification,
						     "profile %zu: %zu frames begin and do not end",
						     part->number, checker->n_open);
}

/* -- profiles --------------------------------------------------------------------------------- */

static bool check_unit(struct checker *checker, const struct part *part)
{
	static const char *const units[] = { "none",         "nanoseconds", "microseconds",
					     "milliseconds", "seconds",     "bytes" };

	if (!json_read_text(&checker->reader, &checker->text))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(checker->text.bytes, units[i]) == 0)
			return true;
	}
	return fail(checker, part, "its unit is none of the format");
}

static bool read_type(struct checker *checker, struct part *part)
{
	if (!json_read_text(&checker->reader, &checker->text))
		return false;
	part->has_type = true;
	part->is_evented = strcmp(checker->text.bytes, "evented") == 0;
	return part->is_evented || strcmp(checker->text.bytes, "sampled") == 0 ||
	       fail(checker, part, "its type is neither sampled nor evented");
}

static bool read_member(struct checker *checker, struct part *part, const char *key)
{
	struct json_reader *reader = &checker->reader;

	if (strcmp(key, "type") == 0)
		return read_type(checker, part);
	if (strcmp(key, "unit") == 0)
		return check_unit(checker, part);
	if (strcmp(key, "startValue") == 0)
		return part->has_start = json_read_number(reader, &part->start);
	if (strcmp(key, "endValue") == 0)
		return part->has_end = json_read_number(reader, &part->end);
	if (strcmp(key, "samples") == 0)
		return check_samples(checker, part);
	if (strcmp(key, "weights") == 0)
		return check_weights(checker, part);
	return strcmp(key, "events") == 0 ? check_events(checker, part) : json_skip(reader);
}

static bool check_sum(struct checker *checker, const struct part *part)
{
	const long double length = part->end - part->start;
	const long double difference = part->sum > length ? part->sum - length : length - part->sum;

	return difference <= length * TOLERANCE ||
	       verification_fail(checker->reader.verification,
				 "profile %zu: its weights are %.15Lg, and from its start to its "
				 "end are %.15Lg",
				 part->number, part->sum, length);
}

static bool check_profile(struct checker *checker, size_t number)
{
	struct part part = { .number = number };
	struct json_items items;

	json_start(&checker->reader, &items, JSON_OBJECT);
	while (json_next(&checker->reader, &items))
		read_member(checker, &part, items.key);
	if (!json_is_sound(&checker->reader))
		return false;
	if (!part.has_type || !part.has_start || !part.has_end)
		return fail(checker, &part, "it has no type, start or end");
	if (part.end < part.start)
		return fail(checker, &part, "it ends before its start");
	if (part.is_evented)
		return !part.n_events || part.last <= part.end ||
		       fail(checker, &part, "its last event is after its end");
	if (part.n_samples != part.n_weights)
		return verification_fail(checker->reader.verification,
					 "profile %zu has %zu samples and %zu weights", number,
					 part.n_samples, part.n_weights);
	return check_sum(checker, &part);
}

static bool check_profiles(struct checker *checker)
{
	struct json_items items;

	checker->reader.at = checker->profiles_at;
	json_start(&checker->reader, &items, JSON_ARRAY);
	while (json_next(&checker->reader, &items))
		check_profile(checker, checker->n_profiles++);
	if (!json_is_sound(&checker->reader))
		return false;
	return checker->active == UINT64_MAX || checker->active < checker->n_profiles ||
	       verification_fail(checker->reader.verification,
				 "profile %" PRIu64 " is chosen, of %" PRIu64, checker->active,
				 checker->n_profiles);
}

/* -- the file --------------------------------------------------------------------------------- */

static bool count_frame(struct checker *checker)
{
	struct json_reader *reader = &checker->reader;
	struct json_items items;
	bool has_name = false;

	json_start(reader, &items, JSON_OBJECT);
	while (json_next(reader, &items)) {
		if (strcmp(items.key, "name") == 0)
			has_name = json_read_text(reader, &checker->text);
		else
			json_skip(reader);
	}
	if (!json_is_sound(reader))
		return false;
	checker->n_frames++;
	return has_name || verification_fail(reader->verification, "frame %" PRIu64 " has no name",
					     checker->n_frames - 1);
}

static bool count_frames(struct checker *checker)
{
	struct json_reader *reader = &checker->reader;
	struct json_items shared, frames;

	reader->at = checker->frames_at;
	json_start(reader, &shared, JSON_OBJECT);
	while (json_next(reader, &shared)) {
		if (strcmp(shared.key, "frames") != 0) {
			json_skip(reader);
			continue;
		}
		json_start(reader, &frames, JSON_ARRAY);
		while (json_next(reader, &frames))
			count_frame(checker);
	}
	return json_is_sound(reader);
}

/* Members may be in any order, so their places are found first. */
static bool find_members(struct checker *checker)
{
	struct json_reader *reader = &checker->reader;
	struct json_items items;

	json_start(reader, &items, JSON_OBJECT);
	while (json_next(reader, &items)) {
		if (strcmp(items.key, "shared") == 0)
			checker->frames_at = reader->at;
		if (strcmp(items.key, "profiles") == 0)
			checker->profiles_at = reader->at;
		if (strcmp(items.key, "activeProfileIndex") == 0)
			json_read_optional(reader, &checker->active);
		else
			json_skip(reader);
	}
	if (!json_finish(reader))
		return false;
	return (checker->frames_at && checker->profiles_at) ||
	       verification_fail(reader->verification, "there are no frames, or no profiles");
}

void verify_speedscope(struct verification *verification, const uint8_t *bytes, size_t size)
{
	struct checker checker = { .reader = { verification, bytes, size, 0 },
				   .active = UINT64_MAX };
	uint8_t *expanded = NULL;

	if (gunzip_recognizes(bytes, size) &&
	    gunzip(verification, bytes, size, &expanded, &checker.reader.size))
		checker.reader.bytes = expanded;
	if (json_is_sound(&checker.reader) && find_members(&checker) && count_frames(&checker))
		check_profiles(&checker);
	free(expanded);
	free(checker.text.bytes);
	free(checker.open);
}
