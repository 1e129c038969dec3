/*
 * Reads a recording or a profile, and prints where the cost of its first metric went: the functions
 * with most cost of their own, and the most costly call path.
 *
 *	cc -o hot_paths hot_paths.c $(pkg-config --cflags --libs dendro)
 *	./hot_paths dendro.data
 */
#include <dendro.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SHOWN 5

static const struct dendro_profile *profile; /* qsort() passes no context */

static uint64_t self_of(uint32_t frame)
{
	return dendro_frame_self(profile)[(size_t)frame * dendro_profile_n_metrics(profile)];
}

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (self_of(x) != self_of(y))
		return self_of(x) > self_of(y) ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void print_functions(void)
{
	const uint32_t n = dendro_profile_n_frames(profile);
	uint32_t *frames = malloc(n * sizeof(*frames));

	if (!frames)
		return;
	for (uint32_t i = 0; i < n; i++)
		frames[i] = i;
	qsort(frames, n, sizeof(*frames), compare);
	for (uint32_t i = 0; i < n && i < SHOWN && self_of(frames[i]); i++) {
		const struct dendro_frame *frame = dendro_profile_frame(profile, frames[i]);

		printf("%12" PRIu64 "  %s (%s)\n", self_of(frames[i]), frame->name, frame->module);
	}
	free(frames);
}

/* From each node on to the most costly one below it, while that has most of the cost. */
static void print_path(void)
{
	const uint32_t n_metrics = dendro_profile_n_metrics(profile);
	const uint64_t *total = dendro_node_total(profile);
	const uint32_t *frames = dendro_node_frames(profile);
	uint32_t node = 0;

	while (node != DENDRO_NONE) {
		const uint64_t all = total[(size_t)node * n_metrics];
		uint32_t next = dendro_node_first_child(profile, node), best = DENDRO_NONE;

		printf("%12" PRIu64 "  %s\n", all,
		       dendro_profile_frame(profile, frames[node])->name);
		for (; next != DENDRO_NONE; next = dendro_node_next_sibling(profile, next)) {
			if (2 * total[(size_t)next * n_metrics] > all)
				best = next;
		}
		node = best;
	}
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "dendro.data";
	struct dendro_profile *opened;
	char *error;

	if (dendro_profile_open(path, NULL, &opened, &error)) {
		fprintf(stderr, "hot_paths: %s\n", error ? error : "out of memory");
		dendro_free(error);
		return 1;
	}
	profile = opened;
	for (size_t i = 0; i < dendro_profile_n_notes(profile); i++)
		printf("note: %s\n", dendro_profile_note(profile, i));
	const struct dendro_metric *metric = dendro_profile_metric(profile, 0);
	if (metric) {
		printf("%s: %" PRIu64 " samples, %" PRIu64 " %s, %" PRIu64 " samples lost\n",
		       metric->name, metric->samples, metric->total, metric->unit, metric->lost);
		print_functions();
		puts("the most costly path:");
		print_path();
	}
	dendro_profile_close(opened);
	return 0;
}
