/* Which samples a session takes. */
#ifndef COLLECTOR_SESSION_SAMPLE_FILTER_H
#define COLLECTOR_SESSION_SAMPLE_FILTER_H

#include "collector/session/dendro.h"

bool sample_filter_passes(const struct dendro_filter *filter, const struct sample *sample);

#endif
