/* Profiles that tests of views, formats and annotations put together. */
#ifndef TESTS_UNIT_SAMPLE_PROFILE_H
#define TESTS_UNIT_SAMPLE_PROFILE_H

#include "cct/model/profile.h"

/* A profile with these metrics, of unit "events", and a tree for them. */
struct profile *sample_profile_create(const char *const *metrics, uint32_t n_metrics);

/* The node of a process, given by its index in the profile. */
uint32_t sample_profile_process(struct profile *profile, uint32_t process);
/* Adds a sample with @weight to a node and to the metric's sums. */
void sample_profile_add(struct profile *profile, uint32_t node, uint32_t metric, uint64_t weight);

/* This program as a module of a profile, and anonymous code. */
struct sample_profile_modules {
	uint32_t program, nameless;
};

struct sample_profile_modules sample_profile_add_modules(struct profile *profile);
/* A path below @node: places in this program, or "" for anonymous code; ends with NULL. */
uint32_t sample_profile_add_path(struct profile *profile, uint32_t node,
				 const struct sample_profile_modules *modules,
				 const char *const *places);

#endif
