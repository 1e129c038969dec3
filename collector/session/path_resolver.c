#include "collector/session/path_resolver.h"

#include <errno.h>

int path_resolver_init(struct path_resolver *resolver, struct replay *replay)
{
	resolver->elf_modules = elf_modules_create(&replay_profile(replay)->modules);
	resolver->kernel_symbols = replay_kernel_symbols(replay);
	if (!resolver->elf_modules)
		return -ENOMEM;
	return replay_find_io_wait(replay, &resolver->io_wait);
}

void path_resolver_deinit(struct path_resolver *resolver)
{
	elf_modules_destroy(resolver->elf_modules);
	resolver->elf_modules = NULL;
}

struct sample_path *path_resolver_open(const struct path_resolver *resolver)
{
	struct sample_path *sample_path =
		sample_path_create(resolver->elf_modules, resolver->kernel_symbols);

	if (sample_path)
		sample_path_set_io_wait(sample_path, &resolver->io_wait);
	return sample_path;
}
