/* A Java process whose memory is as it should be, but for the words that the input replaces. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/record/live/hotspot_scopes.h"
#include "tests/unit/fixtures/hotspot_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The input: one after the other. */
struct patch {
	uint16_t at;
	uint8_t size, is_address;
	uint32_t value;
};

static void check(int err, const struct hotspot_code *code)
{
	if (err > 0)
		abort();
	if (!err && (!code->header.size || !code->header.name_size ||
		     code->header.name_size > RUNTIME_NAME_MAX))
		abort();
}

static void read_scopes(const struct hotspot_image *image, const struct hotspot_vm *vm)
{
	struct hotspot_scopes scopes;
	struct hotspot_code code;

	for (uint64_t addr = image->nmethod; addr < image->nmethod + 400; addr++) {
		int err = hotspot_scopes_read(&image->memory, vm, image->nmethod, addr, &scopes);

		if (err > 0)
			abort();
		if (!err && (addr < scopes.start || addr >= scopes.end ||
			     scopes.n_inlined >= HOTSPOT_SCOPES_MAX))
			abort();
	}
	if (hotspot_inlined_read(&image->memory, vm, image->nmethod, image->nmethod + 191, &code) ==
		    0 &&
	    code.header.name_size > sizeof(code.name))
		abort();
}

static void read_all(const struct hotspot_image *image, const struct hotspot_vm *vm)
{
	const uint64_t addrs[] = {
		image->interpreter + 999, image->nmethod + 130, image->nmethod + 500,
		image->stub + 128,        image->heap,          image->heap + HEAP_SIZE - 1
	};
	struct hotspot_code code;

	for (size_t i = 0; i < sizeof(addrs) / sizeof(addrs[0]); i++)
		check(hotspot_code_read(&image->memory, vm, addrs[i], &code), &code);
	check(hotspot_method_read(&image->memory, vm, image->method, &code), &code);
	check(hotspot_method_read(&image->memory, vm, image->klass, &code), &code);
	read_scopes(image, vm);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct hotspot_image image;
	struct hotspot_vm vm;
	struct patch patch;

	hotspot_image_init(&image);
	for (; size >= sizeof(patch); bytes += sizeof(patch), size -= sizeof(patch)) {
		memcpy(&patch, bytes, sizeof(patch));
		const uint64_t value = patch.value + (patch.is_address & 1 ? IMAGE_BASE : 0);
		const unsigned n = 1u << patch.size % 4;

		if (patch.at <= IMAGE_SIZE - n)
			image_put_number(&image, IMAGE_BASE + patch.at, value, n);
	}
	if (hotspot_vm_find(&image.memory, IMAGE_BASE, &vm) == 0 &&
	    hotspot_vm_find_heaps(&image.memory, &vm) == 0)
		read_all(&image, &vm);
	return 0;
}
