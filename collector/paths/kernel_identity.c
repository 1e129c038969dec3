#include "collector/paths/kernel_identity.h"

#include <string.h>
#include <sys/utsname.h>

#include "collector/paths/kernel_build_id.h"
#include "collector/paths/module_finder.h"

enum kernel_identity_match kernel_identity_match(const struct kernel_identity *recorded,
						 const struct kernel_identity *running)
{
	if (recorded->build_id.size && running->build_id.size)
		return build_id_equal(&recorded->build_id, &running->build_id) ? KERNEL_IS_SAME
									       : KERNEL_IS_OTHER;
	if (recorded->hostname && running->hostname &&
	    strcmp(recorded->hostname, running->hostname) != 0)
		return KERNEL_IS_OTHER;
	if (!recorded->release || !running->release)
		return KERNEL_IS_UNKNOWN;
	return strcmp(recorded->release, running->release) == 0 ? KERNEL_IS_SAME : KERNEL_IS_OTHER;
}

struct kernel_identity kernel_identity_recorded(const struct data_file *file)
{
	const struct data_file_info *info = data_file_info(file);
	struct kernel_identity recorded = { .release = info->os_release,
					    .hostname = info->hostname };

	build_id_from_list(file, "[kernel.kallsyms]", &recorded.build_id);
	return recorded;
}

enum kernel_identity_match kernel_identity_match_running(const struct kernel_identity *recorded)
{
	struct kernel_identity running = { .release = NULL };
	struct utsname names;

	kernel_build_id(&running.build_id);
	if (uname(&names) == 0) {
		running.release = names.release;
		running.hostname = names.nodename;
	}
	return kernel_identity_match(recorded, &running);
}
