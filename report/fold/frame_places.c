#include "report/fold/frame_places.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"

void frame_places_deinit(struct frame_places *places)
{
	free(places->places);
	free(places->by_frame);
	*places = (struct frame_places){ 0 };
}

bool frame_places_know(const struct frame_places *places, uint32_t frame)
{
	return frame < places->n_frames && places->by_frame[frame].is_known;
}

const struct frame_place *frame_places_of(const struct frame_places *places, uint32_t frame,
					  size_t *n_ret)
{
	*n_ret = places->by_frame[frame].n;
	return &places->places[places->by_frame[frame].first];
}

int frame_places_begin(struct frame_places *places, uint32_t frame, uint32_t n_frames)
{
	if (!places->by_frame) {
		places->by_frame = calloc(n_frames, sizeof(*places->by_frame));
		places->n_frames = places->by_frame ? n_frames : 0;
	}
	if (frame >= places->n_frames)
		return -ENOMEM;
	places->by_frame[frame].first = places->n_places;
	places->by_frame[frame].is_known = true;
	return 0;
}

int frame_places_add(struct frame_places *places, uint32_t frame, const struct frame_place *place)
{
	if (array_reserve(places->places, places->n_places, places->n_places_allocated, 1))
		return -ENOMEM;
	places->places[places->n_places++] = *place;
	places->by_frame[frame].n++;
	return 0;
}
