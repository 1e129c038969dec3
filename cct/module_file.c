/* Opens a module's file and makes sure that it is the one that ran. */
#include "cct/module_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cct/cleanup.h"

/* What a mapping's line in /proc/PID/maps says of its file. */
struct file_identity {
	uint32_t dev_major, dev_minor;
	uint64_t inode;
};

static bool identity_is_recorded(const struct file_identity *identity, const struct module_key *key)
{
	return identity->inode == key->inode && identity->dev_major == key->dev_major &&
	       identity->dev_minor == key->dev_minor;
}

/*
 * Device and inode as the kernel reports them for mappings. On btrfs and overlayfs stat() names
 * another device than MMAP2 records do, so the file is mapped and looked up like a recorder would.
 */
static bool mapped_identity(int fd, struct file_identity *ret)
{
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	if (page == MAP_FAILED)
		return false;
	FILE *maps = fopen("/proc/self/maps", "re");
	bool found = false;
	char line[4352];

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		unsigned long start, inode;
		unsigned dev_major, dev_minor;

		if (sscanf(line, "%lx-%*x %*s %*x %x:%x %lu", &start, &dev_major, &dev_minor,
			   &inode) != 4 ||
		    start != (unsigned long)page)
			continue;
		*ret = (struct file_identity){ dev_major, dev_minor, inode };
		found = true;
	}
	if (maps)
		fclose(maps);
	munmap(page, 1);
	return found;
}

bool module_file_is_recorded(int fd, const struct module_key *key)
{
	struct stat status;
	if (!key->inode)
		return true;
	if (fstat(fd, &status))
		return false;

	struct file_identity identity = { major(status.st_dev), minor(status.st_dev),
					  status.st_ino };
	if (identity_is_recorded(&identity, key))
		return true;
	return mapped_identity(fd, &identity) && identity_is_recorded(&identity, key);
}

/* Recorders pad short IDs with zeros to 20 bytes. */
static bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	const struct build_id *longer = a->size > b->size ? a : b;
	uint8_t common = a->size < b->size ? a->size : b->size;

	if (memcmp(a->bytes, b->bytes, common) != 0)
		return false;
	for (uint8_t i = common; i < longer->size; i++)
		if (longer->bytes[i])
			return false;
	return true;
}

/* Finds the build ID in the notes of @data. Sizes in it are not to be trusted. */
static bool build_id_from_notes(Elf_Data *data, struct build_id *ret)
{
	GElf_Nhdr note;
	size_t name_at, desc_at, at = 0;

	while (data && (at = gelf_getnote(data, at, &note, &name_at, &desc_at)) > 0) {
		const char *bytes = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp(bytes + name_at, "GNU", sizeof("GNU")) != 0)
			continue;
		if (note.n_descsz == 0 || note.n_descsz > BUILD_ID_MAX_SIZE)
			continue;
		ret->size = (uint8_t)note.n_descsz;
		memcpy(ret->bytes, bytes + desc_at, note.n_descsz);
		return true;
	}
	return false;
}

static Elf_Type note_type(uint64_t alignment)
{
	return alignment == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
}

static bool build_id_from_segments(Elf *elf, struct build_id *ret)
{
	size_t n_phdrs;
	if (elf_getphdrnum(elf, &n_phdrs))
		return false;

	for (size_t i = 0; i < n_phdrs; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(elf, (int)i, &phdr))
			return false;
		if (phdr.p_type != PT_NOTE || phdr.p_offset > INT64_MAX)
			continue;
		if (build_id_from_notes(elf_getdata_rawchunk(elf, (int64_t)phdr.p_offset,
							     phdr.p_filesz,
							     note_type(phdr.p_align)),
					ret))
			return true;
	}
	return false;
}

void elf_build_id(Elf *elf, struct build_id *ret)
{
	Elf_Scn *section = NULL;

	*ret = (struct build_id){ 0 };
	if (build_id_from_segments(elf, ret))
		return;
	/* Separate debug files and captured parts may have sections only. */
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE &&
		    build_id_from_notes(elf_getdata(section, NULL), ret))
			return;
	}
}

/* Takes over @fd. @is_image: captured from the very file, which may have left the note out. */
static enum module_file_state open_fd(int fd, const struct module_key *key, bool is_image,
				      struct module_file *file)
{
	_cleanup_close_ int owned = fd;
	struct stat status;
	struct build_id build_id;

	/* A device or a FIFO of the recorded name must not be read. */
	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return MODULE_FILE_MISSING;
	if (!is_image && !key->build_id.size && !module_file_is_recorded(fd, key))
		return MODULE_FILE_CHANGED;

	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return MODULE_FILE_BAD;
	}
	elf_build_id(elf, &build_id);
	bool is_comparable = key->build_id.size && (build_id.size || !is_image);
	if (is_comparable && !build_id_equal(&key->build_id, &build_id)) {
		elf_end(elf);
		return MODULE_FILE_CHANGED;
	}
	file->fd = owned;
	file->elf = elf;
	owned = -1;
	return MODULE_FILE_OK;
}

static enum module_file_state open_path(const char *path, const struct module_key *key,
					struct module_file *file)
{
	/* Without O_NONBLOCK a FIFO of that name would wait for a writer. */
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;

	return fd < 0 ? MODULE_FILE_MISSING : open_fd(fd, key, false, file);
}

static enum module_file_state open_image(const struct module *module, struct module_file *file)
{
	int fd = module->image_fd >= 0 ? fcntl(module->image_fd, F_DUPFD_CLOEXEC, 0) : -1;

	return fd < 0 ? MODULE_FILE_MISSING : open_fd(fd, &module->key, true, file);
}

void module_file_open(const struct module *module, struct module_file *file)
{
	bool has_path = module->key.kind == MODULE_ELF;

	*file = (struct module_file){ .state = MODULE_FILE_NONE, .fd = -1 };
	if (!has_path && module->key.kind != MODULE_VDSO)
		return;

	elf_version(EV_CURRENT);
	file->state = open_image(module, file);
	if (file->state == MODULE_FILE_OK || !has_path)
		return;
	/* The first of several reasons is the one to tell, unless it is only an absence. */
	const char *paths[] = { module->key.path, module->alternative_path };
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		enum module_file_state state = open_path(paths[i], &module->key, file);

		if (state == MODULE_FILE_OK || file->state == MODULE_FILE_MISSING)
			file->state = state;
		if (state == MODULE_FILE_OK)
			return;
	}
}

/* The file name in .gnu_debuglink. NULL: none. */
static const char *debug_link(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
		    !(name = elf_strptr(elf, names, header.sh_name)) ||
		    strcmp(name, ".gnu_debuglink") != 0)
			continue;
		const Elf_Data *data = elf_rawdata(section, NULL);
		const char *link = data ? data->d_buf : NULL;
		bool is_name = link && memchr(link, 0, data->d_size) && *link && !strchr(link, '/');
		return is_name ? link : NULL;
	}
	return NULL;
}

/* Tries a path of four parts. @folder_size: of its first characters. */
static bool try_debug(const struct module_key *key, struct module_file *file, const char *before,
		      const char *folder, int folder_size, const char *between, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%.*s%s%s", before, folder_size, folder, between,
			 name);

	if (n < 0 || (size_t)n >= sizeof(path))
		return false;
	file->state = open_path(path, key, file);
	return file->state == MODULE_FILE_OK;
}

/* By build ID, where debug packages put it. */
static bool try_build_id(const struct module_key *key, struct module_file *file)
{
	char id[2 * BUILD_ID_MAX_SIZE + sizeof(".debug")];

	if (key->build_id.size < 2)
		return false;
	for (unsigned i = 0; i < key->build_id.size; i++)
		snprintf(id + 2 * i, 3, "%02x", key->build_id.bytes[i]);
	strcat(id, ".debug");
	return try_debug(key, file, "/usr/lib/debug/.build-id/", id, 2, "/", id + 2);
}

void module_file_open_debug(const char *path, Elf *elf, struct module_file *file)
{
	struct module_key key = { .kind = MODULE_ELF };

	*file = (struct module_file){ .state = MODULE_FILE_MISSING, .fd = -1 };
	elf_build_id(elf, &key.build_id);
	if (key.build_id.size < 2 || try_build_id(&key, file))
		return;
	const char *link = debug_link(elf), *slash = path ? strrchr(path, '/') : NULL;
	if (!link || !slash)
		return;
	int size = (int)(slash - path);
	if (!try_debug(&key, file, "", path, size, "/", link) &&
	    !try_debug(&key, file, "", path, size, "/.debug/", link))
		try_debug(&key, file, "/usr/lib/debug", path, size, "/", link);
}

void module_file_open_named(const char *beside, const char *name, const struct build_id *build_id,
			    struct module_file *file)
{
	struct module_key key = { .kind = MODULE_ELF };
	const char *slash = beside ? strrchr(beside, '/') : NULL;

	*file = (struct module_file){ .state = MODULE_FILE_MISSING, .fd = -1 };
	if (build_id) {
		key.build_id = *build_id;
		if (try_build_id(&key, file))
			return;
	}
	if (*name == '/')
		try_debug(&key, file, "", "", 0, "", name);
	else if (slash)
		try_debug(&key, file, "", beside, (int)(slash - beside), "/", name);
}

void module_file_close(struct module_file *file)
{
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct module_file){ .state = MODULE_FILE_NONE, .fd = -1 };
}

const char *module_file_state_text(enum module_file_state state)
{
	switch (state) {
	case MODULE_FILE_OK:
		return "readable";
	case MODULE_FILE_MISSING:
		return "file is missing or not readable";
	case MODULE_FILE_CHANGED:
		return "file has changed since the recording";
	case MODULE_FILE_BAD:
		return "not an ELF file";
	case MODULE_FILE_NONE:
		return "no file";
	}
	return "unknown state";
}
