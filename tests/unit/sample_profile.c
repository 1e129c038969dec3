#include "tests/unit/sample_profile.h"

#include "tests/unit/own_code.h"

struct profile *sample_profile_create(const char *const *metrics, uint32_t n_metrics)
{
	struct profile *profile = profile_create();

	for (uint32_t i = 0; i < n_metrics; i++)
		profile_add_metric(profile, metrics[i], "events");
	cct_destroy(profile->cct);
	profile->cct = cct_create(n_metrics);
	return profile;
}

uint32_t sample_profile_process(struct profile *profile, uint32_t process)
{
	struct frame frame = { .kind = FRAME_PROCESS, .offset = process };

	return cct_child(profile->cct, CCT_ROOT, &frame);
}

void sample_profile_add(struct profile *profile, uint32_t node, uint32_t metric, uint64_t weight)
{
	cct_add_cost(profile->cct, node, metric, weight);
	profile->metrics[metric].samples++;
	profile->metrics[metric].total += weight;
}

struct sample_profile_modules sample_profile_add_modules(struct profile *profile)
{
	const struct module_key program = { .kind = MODULE_ELF, .path = "/proc/self/exe" };
	const struct module_key nameless = { .kind = MODULE_ANON, .path = "//anon" };

	return (struct sample_profile_modules){
		.program = module_table_add(&profile->modules, &program),
		.nameless = module_table_add(&profile->modules, &nameless),
	};
}

uint32_t sample_profile_add_path(struct profile *profile, uint32_t node,
				 const struct sample_profile_modules *modules,
				 const char *const *places)
{
	for (; *places; places++) {
		bool is_nameless = !**places;
		struct frame frame = { .kind = FRAME_USER,
				       .module = is_nameless ? modules->nameless : modules->program,
				       .offset =
					       is_nameless ? 0x1000 : own_address(*places).offset };

		node = cct_child(profile->cct, node, &frame);
	}
	return node;
}
