#include "collector/session/path_resolver.h"

#include <errno.h>

int path_resolver_init(struct path_resolver *resolver, struct replay *replay,
		       struct kept_modules *kept)
{
	resolver->elf_modules = elf_modules_create(&replay_profile(replay)->modules);
	resolver->kernel_symbols = replay_kernel_symbols(replay);
	resolver->joins = path_joins_create();
	if (!resolver->elf_modules || !resolver->joins)
		return -ENOMEM;
	elf_modules_keep(resolver->elf_modules, kept);
	return replay_find_wait_reasons(replay, &resolver->wait_reasons);
}

void path_resolver_deinit(struct path_resolver *resolver)
{
	wait_reasons_deinit(&resolver->wait_reasons);
	path_joins_destroy(resolver->joins);
	resolver->joins = NULL;
	elf_modules_destroy(resolver->elf_modules);
	resolver->elf_modules = NULL;
}

struct sample_path *path_resolver_open(const struct path_resolver *resolver)
{
	struct sample_path *sample_path =
		sample_path_create(resolver->elf_modules, resolver->kernel_symbols);

	if (sample_path)
		sample_path_set_wait_reasons(sample_path, &resolver->wait_reasons);
	return sample_path;
}
