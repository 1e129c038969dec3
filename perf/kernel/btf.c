#include "perf/kernel/btf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"
/* Of linux/btf.h, which may be older than the kernel. */
#define KIND_DECL_TAG 17
#define KIND_TYPE_TAG 18
#define KIND_ENUM64   19

/* What follows a struct btf_type. false: of an unknown kind. */
static bool find_rest_size(uint32_t info, size_t *size_ret)
{
	size_t n = BTF_INFO_VLEN(info);

	switch (BTF_INFO_KIND(info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case KIND_DECL_TAG:
		*size_ret = sizeof(uint32_t);
		return true;
	case BTF_KIND_ARRAY:
		*size_ret = sizeof(struct btf_array);
		return true;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		*size_ret = n * sizeof(struct btf_member);
		return true;
	case BTF_KIND_ENUM:
		*size_ret = n * sizeof(struct btf_enum);
		return true;
	case KIND_ENUM64:
		*size_ret = n * 3 * sizeof(uint32_t);
		return true;
	case BTF_KIND_FUNC_PROTO:
		*size_ret = n * sizeof(struct btf_param);
		return true;
	case BTF_KIND_DATASEC:
		*size_ret = n * sizeof(struct btf_var_secinfo);
		return true;
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case KIND_TYPE_TAG:
		*size_ret = 0;
		return true;
	default:
		return false;
	}
}

struct part {
	const char *bytes;
	size_t size;
};

/* The part of @size bytes at @offset after the header. */
static bool find_part(const void *btf, size_t btf_size, const struct btf_header *header,
		      uint32_t offset, uint32_t size, struct part *part_ret)
{
	uint64_t start = (uint64_t)header->hdr_len + offset;

	if (start > btf_size || size > btf_size - start)
		return false;
	*part_ret = (struct part){ (const char *)btf + start, size };
	return true;
}

static bool has_name(const struct part *strings, uint32_t offset, const char *name)
{
	size_t length = strlen(name) + 1;

	return offset < strings->size && length <= strings->size - offset &&
	       memcmp(strings->bytes + offset, name, length) == 0;
}

struct wanted {
	uint32_t kind;
	const char *name;
};

static int search_types(struct part types, const struct part *strings, const struct wanted *wanted,
			struct btf_type *type_ret, uint32_t *id_ret)
{
	struct btf_type type;
	size_t rest_size;

	for (uint32_t id = 1; types.size; id++) {
		if (types.size < sizeof(type))
			return -EINVAL;
		memcpy(&type, types.bytes, sizeof(type));
		if (BTF_INFO_KIND(type.info) == wanted->kind &&
		    has_name(strings, type.name_off, wanted->name)) {
			*id_ret = id;
			*type_ret = type;
			return 0;
		}
		if (!find_rest_size(type.info, &rest_size) || rest_size > types.size - sizeof(type))
			return -EINVAL;
		types.bytes += sizeof(type) + rest_size;
		types.size -= sizeof(type) + rest_size;
	}
	return -ENOENT;
}

static int find_type(const void *btf, size_t size, const struct wanted *wanted,
		     struct btf_type *type_ret, uint32_t *id_ret)
{
	struct btf_header header;
	struct part types, strings;

	if (size < sizeof(header))
		return -EINVAL;
	memcpy(&header, btf, sizeof(header));
	if (header.magic != BTF_MAGIC ||
	    !find_part(btf, size, &header, header.type_off, header.type_len, &types) ||
	    !find_part(btf, size, &header, header.str_off, header.str_len, &strings))
		return -EINVAL;
	return search_types(types, &strings, wanted, type_ret, id_ret);
}

int btf_find_function(const void *btf, size_t size, const char *name, uint32_t *id_ret)
{
	struct btf_type type;

	return find_type(btf, size, &(struct wanted){ BTF_KIND_FUNC, name }, &type, id_ret);
}

int btf_find_structure(const void *btf, size_t size, const char *name, uint32_t *size_ret)
{
	struct btf_type type;
	uint32_t id;
	int err = find_type(btf, size, &(struct wanted){ BTF_KIND_STRUCT, name }, &type, &id);

	if (!err)
		*size_ret = type.size;
	return err;
}

int btf_read_kernel(struct file_text *btf_ret)
{
	_cleanup_close_ int fd = open(KERNEL_BTF, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : file_text_read(btf_ret, fd);
}

int btf_find_kernel_function(const char *name, uint32_t *id_ret)
{
	struct file_text btf = { .bytes = NULL };
	int err = btf_read_kernel(&btf);

	if (!err)
		err = btf_find_function(btf.bytes, btf.size, name, id_ret);
	free(btf.bytes);
	return err;
}
