#include "report/verify/verify_chrome_trace.h"

#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"
#include "cct/base/pair_map.h"
#include "report/verify/gunzip.h"
#include "report/verify/json_reader.h"

#define PHASES "BEXiIMCPNODSTpFstfbenacvRr(){}" /* all that the format has */

/* A thread: what has begun and not ended there. */
struct track {
	uint64_t *open; /* hashes of names, outermost first */
	size_t n_open, n_open_allocated;
	size_t first; /* event */
	long double last;
	bool has_last;
};

struct checker {
	struct json_reader reader;
	struct json_text text;
	struct pair_map numbers; /* (pid, tid), as hashes of what the file has -> index */
	struct track *tracks;
	size_t n_tracks, n_tracks_allocated;
	size_t n_events;
};

struct event {
	uint64_t pid, tid, name; /* hashes */
	long double time, duration;
	char phase;
	bool has_name, has_time, has_duration;
};

/* -- an event --------------------------------------------------------------------------------- */

/* Numbers of threads may be strings. */
static uint64_t read_hash(struct checker *checker)
{
	struct json_reader *reader = &checker->reader;
	const size_t start = reader->at;

	if (json_peek(reader) != JSON_STRING) {
		json_skip(reader);
		return hash_bytes(HASH_START, (const char *)reader->bytes + start,
				  reader->at - start);
	}
	return json_read_text(reader, &checker->text)
		       ? hash_bytes(HASH_START, checker->text.bytes, checker->text.size)
		       : 0;
}

static void read_member(struct checker *checker, const char *key, struct event *event)
{
	struct json_reader *reader = &checker->reader;

	json_peek(reader); /* goes to the value */
	if (strcmp(key, "ph") == 0) {
		if (json_read_text(reader, &checker->text) && checker->text.size == 1)
			event->phase = checker->text.bytes[0];
	} else if (strcmp(key, "ts") == 0) {
		event->has_time = json_read_number(reader, &event->time);
	} else if (strcmp(key, "dur") == 0) {
		event->has_duration = json_read_number(reader, &event->duration);
	} else if (strcmp(key, "name") == 0) {
		event->name = read_hash(checker);
		event->has_name = true;
	} else if (strcmp(key, "pid") == 0) {
		event->pid = read_hash(checker);
	} else if (strcmp(key, "tid") == 0) {
		event->tid = read_hash(checker);
	} else {
		json_skip(reader);
	}
}

static bool read_event(struct checker *checker, struct event *event)
{
	struct json_items items;

	*event = (struct event){ .phase = '\0' };
	json_start(&checker->reader, &items, JSON_OBJECT);
	while (json_next(&checker->reader, &items))
		read_member(checker, items.key, event);
	return json_is_sound(&checker->reader);
}

static bool fail(const struct checker *checker, const char *problem)
{
	return verification_fail(checker->reader.verification, "event %zu %s", checker->n_events,
				 problem);
}

/* -- tracks ----------------------------------------------------------------------------------- */

/* NULL: out of memory. */
static struct track *find_track(struct checker *checker, const struct event *event)
{
	const uint32_t known = pair_map_find(&checker->numbers, event->pid, event->tid);

	if (known != PAIR_MAP_NONE)
		return &checker->tracks[known];
	if (array_reserve(checker->tracks, checker->n_tracks, checker->n_tracks_allocated, 1) ||
	    pair_map_add(&checker->numbers, event->pid, event->tid, (uint32_t)checker->n_tracks))
		return NULL;
	checker->tracks[checker->n_tracks] = (struct track){ .first = checker->n_events };
	return &checker->tracks[checker->n_tracks++];
}

/* A begin or an end. One without a name ends whatever is innermost. */
static bool check_edge(struct checker *checker, const struct event *event)
{
	struct track *track = find_track(checker, event);

	if (!track)
		return verification_lacks_memory(checker->reader.verification);
	if (track->has_last && event->time < track->last)
		return fail(checker, "is before the one that its thread had last");
	track->last = event->time;
	track->has_last = true;
	if (event->phase == 'B') {
		if (array_reserve(track->open, track->n_open, track->n_open_allocated, 1))
			return verification_lacks_memory(checker->reader.verification);
		track->open[track->n_open++] = event->name;
		return true;
	}
	if (!track->n_open)
		return fail(checker, "ends what has not begun");
	return track->open[--track->n_open] == event->name || !event->has_name ||
	       fail(checker, "ends what is not the innermost");
}

static bool check_event(struct checker *checker)
{
	struct event event;

	if (!read_event(checker, &event))
		return false;
	if (!event.phase || !strchr(PHASES, event.phase))
		return fail(checker, "has no phase of the format");
	if (event.phase != 'M' && !event.has_time)
		return fail(checker, "has no time");
	if (event.time < 0)
		return fail(checker, "has a negative time");
	if (event.phase == 'X' && !event.has_duration)
		return fail(checker, "has no duration");
	if (event.duration < 0)
		return fail(checker, "has a negative duration");
	if (strchr("BXiI", event.phase) && !event.has_name)
		return fail(checker, "has no name");
	return (event.phase != 'B' && event.phase != 'E') || check_edge(checker, &event);
}

static bool check_ends(const struct checker *checker)
{
	for (size_t i = 0; i < checker->n_tracks; i++) {
		const struct track *track = &checker->tracks[i];

		if (track->n_open)
			return verification_fail(
				checker->reader.verification,
				"the thread whose first event is %zu has %zu that do not end",
				track->first, track->n_open);
	}
	return true;
}

/* -- the file --------------------------------------------------------------------------------- */

static bool check_events(struct checker *checker)
{
	struct json_items items;

	json_start(&checker->reader, &items, JSON_ARRAY);
	for (; json_next(&checker->reader, &items); checker->n_events++)
		check_event(checker);
	return json_is_sound(&checker->reader);
}

/* The events, or an object that has them. */
static bool check_file(struct checker *checker)
{
	struct json_reader *reader = &checker->reader;
	struct json_items items;
	bool has_events = false;

	if (json_peek(reader) == JSON_ARRAY)
		return check_events(checker) && json_finish(reader);
	json_start(reader, &items, JSON_OBJECT);
	while (json_next(reader, &items)) {
		if (strcmp(items.key, "traceEvents") != 0) {
			json_skip(reader);
			continue;
		}
		has_events = true;
		check_events(checker);
	}
	if (!json_finish(reader))
		return false;
	return has_events || verification_fail(reader->verification, "there are no trace events");
}

void verify_chrome_trace(struct verification *verification, const uint8_t *bytes, size_t size)
{
	struct checker checker = { .reader = { verification, bytes, size, 0 } };
	uint8_t *expanded = NULL;

	if (gunzip_recognizes(bytes, size) &&
	    gunzip(verification, bytes, size, &expanded, &checker.reader.size))
		checker.reader.bytes = expanded;
	if (json_is_sound(&checker.reader) && check_file(&checker))
		check_ends(&checker);
	for (size_t i = 0; i < checker.n_tracks; i++)
		free(checker.tracks[i].open);
	free(checker.tracks);
	pair_map_deinit(&checker.numbers);
	free(checker.text.bytes);
	free(expanded);
}
