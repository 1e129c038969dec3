#include "cct/encoding/child_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_PLACES 2

struct child_place {
	uint32_t frame, n_children;
};

int child_places_init(struct child_places *places, uint32_t n_frames)
{
	*places = (struct child_places){
		.lists = calloc((size_t)n_frames + 2, sizeof(*places->lists)),
		.n_frames = n_frames,
	};
	return places->lists ? 0 : -ENOMEM;
}

void child_places_deinit(struct child_places *places)
{
	free(places->lists);
	arena_deinit(&places->arena);
}

struct child_list *child_places_of(struct child_places *places, uint32_t number,
				   const struct frame *frame)
{
	if (frame->kind == FRAME_PROCESS)
		return &places->lists[places->n_frames];
	if (frame->kind == FRAME_THREAD)
		return &places->lists[(size_t)places->n_frames + 1];
	return &places->lists[number];
}

unsigned child_list_find(const struct child_list *list, uint32_t number)
{
	unsigned place = 0;

	while (place < list->n && list->places[place].frame != number)
		place++;
	return place;
}

uint32_t child_list_at(const struct child_list *list, unsigned place)
{
	return list->places[place].frame;
}

/* What the arena gave for the shorter list stays there unused: at most as much again. */
static int make_room(struct child_places *places, struct child_list *list)
{
	const unsigned n = list->n_allocated ? 2u * list->n_allocated : FIRST_PLACES;
	struct child_place *larger = arena_alloc(&places->arena, n * sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	if (list->n)
		memcpy(larger, list->places, list->n * sizeof(*larger));
	list->places = larger;
	list->n_allocated = (uint8_t)n;
	return 0;
}

/* Gives the frame the last place. 0 or -ENOMEM. */
static int add_place(struct child_places *places, struct child_list *list, uint32_t number)
{
	if (list->n == CHILD_PLACES_MAX)
		list->n--;
	else if (list->n == list->n_allocated && make_room(places, list))
		return -ENOMEM;
	list->places[list->n++] = (struct child_place){ .frame = number };
	return 0;
}

int child_places_count(struct child_places *places, struct child_list *list, unsigned place,
		       uint32_t number)
{
	if (place == list->n) {
		if (add_place(places, list, number))
			return -ENOMEM;
		place = list->n - 1u;
	}
	struct child_place counted = list->places[place];
	counted.n_children++;
	for (; place && list->places[place - 1].n_children <= counted.n_children; place--)
		list->places[place] = list->places[place - 1];
	list->places[place] = counted;
	list->last = number;
	return 0;
}
