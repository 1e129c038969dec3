/* The notes of static probes, and their arguments. The input: the size of addresses, then notes. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "cct/object/elf_probes.h"
#include "perf/kinds/probe_argument.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *arguments, uint16_t machine, struct probe_argument argument)
{
	struct event_fetch fetch;

	if (probe_argument_of_note(&argument, machine, arguments, &fetch))
		return;
	/* One word for uprobe_events. */
	if (fetch.kind == EVENT_VALUE_NONE || !fetch.argument[0] ||
	    fetch.argument[strcspn(fetch.argument, " \t\n#=;")] ||
	    fetch.check[strcspn(fetch.check, " \t\n#=;")])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = { EM_X86_64, EM_AARCH64 };
	struct elf_probes probes;

	if (!size || elf_probes_parse(data + 1, size - 1, *data & 1 ? 4 : 8, *data & ~1u, &probes))
		return 0;
	for (size_t i = 0; i < probes.n && i < 100; i++) {
		const struct elf_probe *probe = &probes.probes[i];

		if (!*probe->provider || !*probe->name)
			abort();
		for (unsigned number = 1; number < 5; number++)
			for (unsigned j = 0; j < 4; j++)
				check(probe->arguments, machines[j & 1],
				      (struct probe_argument){ number, j & 2 });
	}
	elf_probes_deinit(&probes);
	return 0;
}
