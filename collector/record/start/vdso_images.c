#include "collector/record/start/vdso_images.h"

#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "cct/base/cleanup.h"
#include "cct/object/elf_image.h"
#include "cct/text/maps_line.h"
#include "collector/record/start/vdso32.h"

static void read_own(struct vdso_image *image)
{
	const uintptr_t address = getauxval(AT_SYSINFO_EHDR);
	FILE *maps = address ? fopen("/proc/self/maps", "re") : NULL;
	char text[PATH_MAX + 128];

	while (maps && fgets(text, sizeof(text), maps)) {
		struct maps_line line;

		text[strcspn(text, "\n")] = '\0';
		if (maps_line_parse(text, &line) && line.start == address) {
			image->bytes = (const uint8_t *)address;
			image->size = line.end - line.start;
			break;
		}
	}
	if (maps)
		fclose(maps);
}

static void find_build_id(struct vdso_image *image)
{
	elf_version(EV_CURRENT);
	Elf *elf = image->size ? elf_memory((char *)image->bytes, image->size) : NULL;

	if (elf)
		elf_build_id(elf, &image->build_id);
	elf_end(elf);
}

void vdso_images_read(struct vdso_images *images)
{
	uint8_t *bytes;
	size_t size;

	*images = (struct vdso_images){ .own.name = "[vdso]", .low.name = "[vdso32]" };
	read_own(&images->own);
	if (vdso32_read(&bytes, &size) == 0) {
		images->low.bytes = bytes;
		images->low.size = size;
	}
	find_build_id(&images->own);
	find_build_id(&images->low);
}

void vdso_images_deinit(struct vdso_images *images)
{
	free((void *)images->low.bytes);
	*images = (struct vdso_images){ 0 };
}
