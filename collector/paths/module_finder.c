/* Mappings -> modules, with build IDs, captured images and other ways to the file. */
#include "collector/paths/module_finder.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cct/object/file_search.h"
#include "collector/attached/attached_text.h"
#include "collector/attached/carried_files.h"
#include "collector/attached/jit_names.h"
#include "collector/attached/simpleperf_names.h"
#include "collector/paths/jitdump_files.h"

struct module_finder {
	const struct data_file *file;
	struct module_table *modules;
	struct jitdump_files *jitdumps;
	struct simpleperf_names *simpleperf_names;
	size_t n_attachments_taken;
	uint32_t n_modules_served; /* modules below this id were matched with all of those */
};

struct module_finder *module_finder_create(const struct data_file *file, const char *path,
					   struct profile *profile)
{
	struct module_finder *finder = calloc(1, sizeof(*finder));

	if (!finder)
		return NULL;
	finder->file = file;
	finder->modules = &profile->modules;
	finder->n_modules_served = 1;
	finder->jitdumps = jitdump_files_create(file, path, profile);
	finder->simpleperf_names = simpleperf_names_create(file);
	if (!finder->jitdumps || !finder->simpleperf_names) {
		module_finder_destroy(finder);
		return NULL;
	}
	return finder;
}

void module_finder_destroy(struct module_finder *finder)
{
	if (!finder)
		return;
	jitdump_files_destroy(finder->jitdumps);
	simpleperf_names_destroy(finder->simpleperf_names);
	free(finder);
}

static enum module_kind kind_of(const char *filename)
{
	if (strcmp(filename, "[vdso]") == 0 || strcmp(filename, "[vdso32]") == 0)
		return MODULE_VDSO;
	if (filename[0] != '/' || strncmp(filename, "//anon", 6) == 0 ||
	    strncmp(filename, "/anon_hugepage", 14) == 0 || strncmp(filename, "/dev/zero", 9) == 0)
		return MODULE_ANON;
	return jitdump_is_marker(filename) ? MODULE_JIT : MODULE_ELF;
}

/* The kernel calls all its vdsos alike. That of 32-bit tasks lies where their addresses reach. */
static const char *module_path(const struct record *record)
{
	const char *filename = record->mmap.filename;
	bool is_low = record->mmap.addr <= UINT32_MAX;

	return is_low && strcmp(filename, "[vdso]") == 0 ? "[vdso32]" : filename;
}

void build_id_from_list(const struct data_file *file, const char *path, struct build_id *build_id)
{
	for (size_t i = 0; i < data_file_n_build_ids(file); i++) {
		const struct data_file_build_id *noted = data_file_build_id(file, i);

		if (strcmp(noted->path, path) == 0) {
			build_id_set(build_id, noted->bytes, noted->size);
			return;
		}
	}
}

/* While the process lives its own root, or the mapping itself, leads to the file. What is found
 * there is checked against the build ID or inode like any file, so a reused pid does no harm. */
static int set_process(struct module *module, const struct record *record)
{
	const char *path = module->key.path;
	size_t size = strlen(path), suffix = strlen(" (deleted)");
	int n = 0;

	if (!module->key.build_id.size && !module->key.inode)
		return 0;
	if (size > suffix && strcmp(path + size - suffix, " (deleted)") == 0)
		n = asprintf(&module->located.alternative_path,
			     "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, record->mmap.pid,
			     record->mmap.addr, record->mmap.addr + record->mmap.len);
	if (n < 0) {
		module->located.alternative_path = NULL;
		return -ENOMEM;
	}
	if (asprintf(&module->located.root, "/proc/%d/root", record->mmap.pid) >= 0)
		return 0;
	module->located.root = NULL;
	return -ENOMEM;
}

uint32_t module_finder_find(struct module_finder *finder, const struct record *record)
{
	struct module_key key = {
		.kind = kind_of(record->mmap.filename),
		.path = module_path(record),
	};
	uint32_t n_before = finder->modules->n_modules;

	if (key.kind == MODULE_ANON) {
		/* Memory without a file is another module in each process. */
		key.inode = (uint32_t)record->mmap.pid;
	} else if (record->mmap.build_id_size) {
		build_id_set(&key.build_id, record->mmap.build_id, record->mmap.build_id_size);
	} else {
		key.dev_major = record->mmap.maj;
		key.dev_minor = record->mmap.min;
		key.inode = record->mmap.ino;
		key.inode_generation = record->mmap.ino_generation;
		build_id_from_list(finder->file, key.path, &key.build_id);
	}
	uint32_t id = module_table_add(finder->modules, &key);
	if (id < n_before || key.kind != MODULE_ELF)
		return id;
	struct module *module = module_table_get(finder->modules, id);
	int err = simpleperf_names_give(finder->simpleperf_names, module, record->mmap.pgoff);
	return err || set_process(module, record) ? 0 : id;
}

bool module_finder_is_file(const struct record *mmap)
{
	return kind_of(mmap->mmap.filename) != MODULE_ANON &&
	       jit_layer_is_file(mmap->mmap.filename);
}

int module_finder_jit_codes(struct module_finder *finder, const struct record *mmap,
			    uint32_t module, const struct jit_codes **codes_ret)
{
	return jitdump_files_find(finder->jitdumps, mmap, module, codes_ret);
}

static bool recorded_here(const struct data_file *file)
{
	const struct data_file_info *info = data_file_info(file);
	struct utsname here;

	return info->os_release && info->hostname && uname(&here) == 0 &&
	       strcmp(info->os_release, here.release) == 0 &&
	       strcmp(info->hostname, here.nodename) == 0;
}

int own_vdso(void)
{
	const Elf64_Ehdr *vdso = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	int fd = vdso ? memfd_create("vdso", MFD_CLOEXEC) : -1;
	size_t size = vdso ? vdso->e_shoff + (size_t)vdso->e_shnum * vdso->e_shentsize : 0;

	if (fd >= 0 && write(fd, vdso, size) != (ssize_t)size) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Does an attachment's key name this module? The build ID decides where there is one, else device
 * and inode (perf/records/attachment.h). */
static bool key_names_module(const char *key, const struct module *module)
{
	char id[BUILD_ID_TEXT_SIZE + 64];
	size_t size;

	if (module->key.kind == MODULE_VDSO)
		return strcmp(key, module->key.path) == 0;
	build_id_format(&module->key.build_id, id);
	if (!module->key.build_id.size)
		snprintf(id, sizeof(id), "- %u:%u:%" PRIu64, module->key.dev_major,
			 module->key.dev_minor, module->key.inode);
	size = strlen(id);
	if (strncmp(key, id, size) != 0 || key[size] != ' ')
		return false;
	const char *path = key + size + 1;
	if (module->key.build_id.size)
		path = strchr(path, ' ');
	else
		path--;
	return path && strcmp(path + 1, module->key.path) == 0;
}

static void module_take_image(struct module_finder *finder, struct module *module, size_t first)
{
	enum attachment_kind kind =
		module->key.kind == MODULE_VDSO ? ATTACHMENT_VDSO : ATTACHMENT_ELF;

	if (module->located.image_fd >= 0)
		return;
	for (size_t i = first; i < data_file_n_attachments(finder->file); i++) {
		const struct data_file_attachment *attachment =
			data_file_attachment(finder->file, i);

		if (attachment->kind == kind && attachment->is_complete &&
		    key_names_module(attachment->key, module)) {
			module->located.image_fd = fcntl(attachment->fd, F_DUPFD_CLOEXEC, 0);
			return;
		}
	}
	struct file_search *files = finder->modules->files;
	if (kind != ATTACHMENT_VDSO || strcmp(module->key.path, "[vdso]") != 0 ||
	    !file_search_is_here(files) || !recorded_here(finder->file))
		return;
	module->located.image_fd = own_vdso();
	if (module->located.image_fd >= 0)
		file_search_found(files, CARRIED_VDSO, module->located.image_fd, NULL);
}

/* From a pipe, jitdumps come when the samples are gone: the latest code of a place names it. */
static void module_take_latest_names(struct module_finder *finder, struct module *module,
				     size_t first)
{
	if (!data_file_info(finder->file)->is_pipe || module->symbols)
		return;
	module->symbols =
		jitdump_files_latest_names(finder->jitdumps, (int32_t)module->key.inode, first);
}

/* The latest of the process's perf-PID.map. What can't be read leaves the module without names. */
static void module_take_names(struct module_finder *finder, struct module *module, size_t first)
{
	struct file_text text = { 0 };
	char key[16];
	int fd = -1;

	snprintf(key, sizeof(key), "%" PRIu64, module->key.inode);
	for (size_t i = first; i < data_file_n_attachments(finder->file); i++) {
		const struct data_file_attachment *attachment =
			data_file_attachment(finder->file, i);

		if (attachment->kind == ATTACHMENT_PERF_MAP && attachment->is_complete &&
		    strcmp(attachment->key, key) == 0)
			fd = attachment->fd;
	}
	if (fd >= 0 && attached_text_decompress(&text, fd) == 0) {
		symbol_table_destroy(module->symbols);
		module->symbols = jit_names_parse(text.bytes, text.size);
	}
	free(text.bytes);
}

static void module_take(struct module_finder *finder, struct module *module, size_t first)
{
	switch (module->key.kind) {
	case MODULE_ELF:
	case MODULE_VDSO:
		module_take_image(finder, module, first);
		return;
	case MODULE_ANON:
		module_take_names(finder, module, first);
		module_take_latest_names(finder, module, first);
		return;
	default:
		return;
	}
}

void module_finder_take_attachments(struct module_finder *finder)
{
	size_t n_attachments = data_file_n_attachments(finder->file);
	bool has_new = n_attachments > finder->n_attachments_taken;

	if (!has_new && finder->modules->n_modules == finder->n_modules_served)
		return;
	for (uint32_t id = has_new ? 1 : finder->n_modules_served; id < finder->modules->n_modules;
	     id++) {
		bool is_new = id >= finder->n_modules_served;
		size_t first = is_new ? 0 : finder->n_attachments_taken;

		if (is_new || first < n_attachments)
			module_take(finder, module_table_get(finder->modules, id), first);
	}
	finder->n_attachments_taken = n_attachments;
	finder->n_modules_served = finder->modules->n_modules;
}
