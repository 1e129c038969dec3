/* Opens a module's file and makes sure that it is the one that ran. */
#include "cct/object/module_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cct/base/cleanup.h"
#include "cct/object/elf_image.h"

static bool identity_is_recorded(const struct file_identity *identity, const struct module_key *key)
{
	return identity->inode == key->inode && identity->dev_major == key->dev_major &&
	       identity->dev_minor == key->dev_minor;
}

bool module_file_is_recorded(const struct file_search *files, int fd, const struct module_key *key)
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
	return file_search_identity(files, fd, &identity) && identity_is_recorded(&identity, key);
}

static bool is_newer(const struct module *module, const struct stat *status)
{
	int64_t recorded = module ? file_search_recorded(module->located.files) : 0;
	int64_t mapped = module && module->located.mapped ? module->located.mapped : recorded;

	return mapped && status->st_mtim.tv_sec > mapped;
}

/* @fd: of a file that was not captured. false: it is another file than the one recorded. */
static bool find_doubt(int fd, const struct module *module, const struct module_key *key,
		       const struct stat *status, enum module_file_doubt *ret)
{
	const struct file_search *files = module ? module->located.files : NULL;
	bool is_recorded = key->build_id.size || module_file_is_recorded(files, fd, key);

	*ret = MODULE_FILE_CERTAIN;
	if (!is_recorded) {
		*ret = MODULE_FILE_COPY;
		return module && !file_search_is_here(files);
	}
	if (!key->build_id.size && is_newer(module, status))
		*ret = MODULE_FILE_NEWER;
	return true;
}

/* Takes over @fd. @is_image: captured from the very file, which may have left the note out. */
static enum module_file_state open_fd(int fd, const struct module *module,
				      const struct module_key *key, bool is_image,
				      struct module_file *file)
{
	_cleanup_close_ int owned = fd;
	struct stat status;
	struct build_id build_id;
	enum module_file_doubt doubt = MODULE_FILE_CERTAIN;

	/* A device or a FIFO of the recorded name must not be read. */
	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		file->error = -EINVAL;
		return MODULE_FILE_MISSING;
	}
	if (!is_image && !find_doubt(fd, module, key, &status, &doubt))
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
		file->found = build_id;
		return MODULE_FILE_CHANGED;
	}
	file->fd = owned;
	file->elf = elf;
	file->doubt = doubt;
	owned = -1;
	return MODULE_FILE_OK;
}

/* @fd: of an open(), or its -errno. */
static enum module_file_state take_fd(int fd, const struct module *module,
				      const struct module_key *key, struct module_file *file)
{
	if (fd >= 0)
		return open_fd(fd, module, key, false, file);
	if (fd == -ENOEXEC)
		return MODULE_FILE_BAD;
	/* That it is not there is the least to say. */
	if (fd != -ENOENT || !file->error)
		file->error = fd;
	return MODULE_FILE_MISSING;
}

static enum module_file_state open_image(const struct module *module, struct module_file *file)
{
	int fd = module->located.image_fd >= 0 ? fcntl(module->located.image_fd, F_DUPFD_CLOEXEC, 0)
					       : -1;

	return fd < 0 ? MODULE_FILE_MISSING : open_fd(fd, module, &module->key, true, file);
}

/* "elf BUILDID MAJOR:MINOR:INODE PATH", or "state ..." */
static bool format_key(const struct module *module, const char *what,
		       char key[static FILE_SEARCH_KEY_MAX])
{
	char id[BUILD_ID_TEXT_SIZE];

	build_id_format(&module->key.build_id, id);
	int n = snprintf(key, FILE_SEARCH_KEY_MAX, "%s %s %u:%u:%" PRIu64 " %s", what, id,
			 module->key.dev_major, module->key.dev_minor, module->key.inode,
			 module->key.path);
	return n > 0 && n < FILE_SEARCH_KEY_MAX;
}

/* What a process or the cache does not have is no more than absent. */
static int or_absent(int fd)
{
	return fd < 0 ? -ENOENT : fd;
}

/* The places where it may be, one after the other. -ESRCH: there are no more. */
static int open_place(const struct module *module, unsigned place)
{
	const struct file_search *files = module->located.files;
	const char *path = module->key.path;
	bool is_here = file_search_is_here(files);

	switch (place) {
	case 0:
		return file_search_open(files, path);
	case 1:
		return is_here && module->located.alternative_path
			       ? or_absent(
					 file_search_open(files, module->located.alternative_path))
			       : -ENOENT;
	case 2:
		return is_here && module->located.root ? or_absent(file_search_open_below_root(
								 files, module->located.root, path))
						       : -ENOENT;
	default:
		return -ESRCH;
	}
}

static void open_places(const struct module *module, struct module_file *file)
{
	/* The first of several reasons is the one to tell, unless it is only an absence. */
	for (unsigned place = 0;; place++) {
		int fd = open_place(module, place);
		if (fd == -ESRCH)
			break;
		enum module_file_state state = take_fd(fd, module, &module->key, file);

		if (state == MODULE_FILE_OK || file->state == MODULE_FILE_MISSING)
			file->state = state;
		if (state == MODULE_FILE_OK) {
			file->is_at_path = place == 0;
			return;
		}
	}
	/* The cache has empty files, too: for what the servers did not have. */
	struct module_file cached = *file;
	int fd =
		file_search_open_cached(module->located.files, &module->key.build_id, "executable");
	if (fd >= 0 && take_fd(fd, module, &module->key, &cached) == MODULE_FILE_OK) {
		*file = cached;
		file->state = MODULE_FILE_OK;
	}
}

static const struct {
	enum module_file_state state;
	const char *word;
} state_words[] = {
	{ MODULE_FILE_OK, "ok" },
	{ MODULE_FILE_MISSING, "missing" },
	{ MODULE_FILE_CHANGED, "changed" },
	{ MODULE_FILE_BAD, "bad" },
};
#define N_STATE_WORDS (sizeof(state_words) / sizeof(state_words[0]))

/* For an archive: the file, and how it was identified. */
static void note_found(const struct module *module, const struct module_file *file)
{
	char key[FILE_SEARCH_KEY_MAX], found[BUILD_ID_TEXT_SIZE], text[128];

	if (file->state == MODULE_FILE_OK && format_key(module, "elf", key))
		file_search_found(module->located.files, key, file->fd, NULL);
	if ((file->state == MODULE_FILE_OK && !file->doubt) || !format_key(module, "state", key))
		return;
	build_id_format(&file->found, found);
	for (size_t i = 0; i < N_STATE_WORDS; i++) {
		if (state_words[i].state != file->state)
			continue;
		snprintf(text, sizeof(text), "%s %d %s %d\n", state_words[i].word, -file->error,
			 found, (int)file->doubt);
		file_search_found(module->located.files, key, -1, text);
	}
}

/* What note_found() wrote. */
static void read_carried_state(const struct module *module, struct module_file *file)
{
	char key[FILE_SEARCH_KEY_MAX], text[128], word[16], found[BUILD_ID_TEXT_SIZE];
	int error, doubt;

	if (!format_key(module, "state", key))
		return;
	_cleanup_close_ int fd = file_search_open_carried(module->located.files, key);
	ssize_t n = fd >= 0 ? pread(fd, text, sizeof(text) - 1, 0) : -1;
	if (n < 0)
		return;
	text[n] = '\0';
	if (sscanf(text, "%15s %d %40s %d", word, &error, found, &doubt) != 4)
		return;
	for (size_t i = 0; i < N_STATE_WORDS; i++) {
		bool is_ok = state_words[i].state == MODULE_FILE_OK;

		if (strcmp(state_words[i].word, word) != 0 ||
		    is_ok != (file->state == MODULE_FILE_OK))
			continue;
		file->state = state_words[i].state;
		file->doubt = doubt > 0 && doubt <= MODULE_FILE_COPY ? (enum module_file_doubt)doubt
								     : MODULE_FILE_CERTAIN;
		file->error = error > 0 && error < 4096 ? -error : 0;
		build_id_parse(found, &file->found);
	}
}

/* What the recording itself has of it. */
static void open_carried(const struct module *module, struct module_file *file)
{
	char key[FILE_SEARCH_KEY_MAX];
	int fd = format_key(module, "elf", key)
			 ? file_search_open_carried(module->located.files, key)
			 : -ENOENT;

	if (fd >= 0)
		file->state = open_fd(fd, module, &module->key, true, file);
	else if (fd != -ENOENT)
		file->error = fd;
	if (file->state == MODULE_FILE_OK || !file_search_looks_around(module->located.files))
		read_carried_state(module, file);
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
	open_carried(module, file);
	if (file->state != MODULE_FILE_OK && file_search_looks_around(module->located.files))
		open_places(module, file);
	if (file->state != MODULE_FILE_MISSING)
		file->error = 0;
	note_found(module, file);
}

/* The file name in .gnu_debuglink. NULL: none. */
static const char *debug_link(Elf *elf)
{
	struct elf_section section;
	const Elf_Data *data = elf_find_section(elf, ".gnu_debuglink", &section)
				       ? elf_section_bytes(&section)
				       : NULL;
	const char *link = data ? data->d_buf : NULL;
	bool is_name = link && memchr(link, 0, data->d_size) && *link && !strchr(link, '/');

	return is_name ? link : NULL;
}

/* A separate file with a build ID is looked for. */
struct debug_search {
	const struct module *module; /* NULL: not known */
	struct module_key key;       /* with the build ID, if it has to have one */
	const char *carried_key;     /* as what the recording may carry it; NULL: by its build ID */
	struct module_file *file;
};

static struct file_search *files_of(const struct debug_search *search)
{
	return search->module ? search->module->located.files : NULL;
}

static const char *carried_key(const struct debug_search *search, char *room, size_t size)
{
	char id[BUILD_ID_TEXT_SIZE];

	if (search->carried_key)
		return search->carried_key;
	build_id_format(&search->key.build_id, id);
	snprintf(room, size, "debug %s", id);
	return room;
}

/* @fd: of an open(), or its -errno. */
static bool try_fd(const struct debug_search *search, int fd)
{
	char room[BUILD_ID_TEXT_SIZE + sizeof("debug ")];

	search->file->state = take_fd(fd, search->module, &search->key, search->file);
	if (search->file->state != MODULE_FILE_OK)
		return false;
	file_search_found(files_of(search), carried_key(search, room, sizeof(room)),
			  search->file->fd, NULL);
	return true;
}

/* @root: NULL, or a process's root. */
static bool try_path(const struct debug_search *search, const char *root, const char *path)
{
	return try_fd(search, root ? file_search_open_below_root(files_of(search), root, path)
				   : file_search_open(files_of(search), path));
}

/* Likewise, a path that is put together. */
__attribute__((format(printf, 3, 4))) static bool
try_debug(const struct debug_search *search, const char *root, const char *format, ...)
{
	char path[PATH_MAX];
	va_list arguments;

	va_start(arguments, format);
	int n = vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	return n > 0 && (size_t)n < sizeof(path) && try_path(search, root, path);
}

static bool try_build_id(const struct debug_search *search, const char *root)
{
	char id[BUILD_ID_TEXT_SIZE];

	build_id_format(&search->key.build_id, id);
	return try_debug(search, root, "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
}

static bool try_link(const struct debug_search *search, const char *root, const char *link)
{
	const char *path = search->module ? search->module->key.path : NULL;
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (!slash || !link)
		return false;
	int size = (int)(slash - path);
	return try_debug(search, root, "%.*s/%s", size, path, link) ||
	       try_debug(search, root, "%.*s/.debug/%s", size, path, link) ||
	       try_debug(search, root, "/usr/lib/debug%.*s/%s", size, path, link);
}

static bool try_carried(const struct debug_search *search)
{
	char room[BUILD_ID_TEXT_SIZE + sizeof("debug ")];

	return try_fd(search, file_search_open_carried(files_of(search),
						       carried_key(search, room, sizeof(room))));
}

static bool try_cached(const struct debug_search *search)
{
	return try_fd(search, file_search_open_cached(files_of(search), &search->key.build_id,
						      "debuginfo"));
}

/* The root of a process that has the module mapped. NULL: not known, or not to be looked at. */
static const char *root_of(const struct debug_search *search)
{
	return search->module && file_search_is_here(files_of(search))
		       ? search->module->located.root
		       : NULL;
}

/* The captured part of a module's file may lack sections that the file itself still has. */
static bool try_file_itself(const struct debug_search *search)
{
	if (!search->module || search->module->located.image_fd < 0)
		return false;
	for (unsigned place = 0;; place++) {
		int fd = open_place(search->module, place);

		if (fd == -ESRCH)
			return false;
		if (try_fd(search, fd))
			return true;
	}
}

void module_file_open_debug(const struct module *module, Elf *elf, struct module_file *file)
{
	struct debug_search search = { .module = module, .key.kind = MODULE_ELF, .file = file };
	const char *link = debug_link(elf);

	*file = (struct module_file){ .state = MODULE_FILE_MISSING, .fd = -1 };
	elf_build_id(elf, &search.key.build_id);
	if (!search.key.build_id.size && module)
		search.key.build_id = module->key.build_id;
	if (search.key.build_id.size < 2 || try_carried(&search) ||
	    !file_search_looks_around(files_of(&search)))
		return;
	if (try_build_id(&search, NULL) || try_link(&search, NULL, link))
		return;
	const char *root = root_of(&search);
	if (root && (try_build_id(&search, root) || try_link(&search, root, link)))
		return;
	if (!try_cached(&search))
		try_file_itself(&search);
}

void module_file_place_init(struct module_file_place *place, const struct module *module, int fd)
{
	*place = (struct module_file_place){ .module = module };
	place->path = file_search_path_of(module ? module->located.files : NULL, fd);
}

void module_file_place_deinit(struct module_file_place *place)
{
	free(place->path);
	place->path = NULL;
}

/* A name in a file, relative to the folder of that. */
static bool try_name(const struct debug_search *search, const struct module_file_place *place,
		     const char *root, const char *name)
{
	const char *slash = place->path ? strrchr(place->path, '/') : NULL;

	if (!name || !*name)
		return false;
	if (*name == '/')
		return try_path(search, root, name);
	return slash &&
	       try_debug(search, root, "%.*s/%s", (int)(slash - place->path), place->path, name);
}

void module_file_open_build_id(const struct module_file_place *place,
			       const struct build_id *build_id, const char *name,
			       struct module_file *file)
{
	struct debug_search search = { .module = place->module,
				       .key = { .kind = MODULE_ELF, .build_id = *build_id },
				       .file = file };

	*file = (struct module_file){ .state = MODULE_FILE_MISSING, .fd = -1 };
	elf_version(EV_CURRENT);
	if (build_id->size < 2 || try_carried(&search) ||
	    !file_search_looks_around(files_of(&search)) || try_build_id(&search, NULL) ||
	    try_name(&search, place, NULL, name))
		return;
	const char *root = root_of(&search);
	if (root && (try_build_id(&search, root) || try_name(&search, place, root, name)))
		return;
	try_cached(&search);
}

void module_file_open_named(const struct module_file_place *place, const char *key,
			    const char *name, struct module_file *file)
{
	char carried[FILE_SEARCH_KEY_MAX] = "named";
	struct debug_search search = { .module = place->module,
				       .key.kind = MODULE_ELF,
				       .carried_key = carried,
				       .file = file };

	*file = (struct module_file){ .state = MODULE_FILE_MISSING, .fd = -1 };
	elf_version(EV_CURRENT);
	if (place->module && !format_key(place->module, "named", carried))
		return;
	size_t size = strlen(carried);
	int n = snprintf(carried + size, sizeof(carried) - size, " %s", key);
	if (n < 0 || (size_t)n >= sizeof(carried) - size || try_carried(&search) ||
	    !file_search_looks_around(files_of(&search)) || try_name(&search, place, NULL, name))
		return;
	const char *root = root_of(&search);
	if (root)
		try_name(&search, place, root, name);
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

const char *module_file_problem(const struct module_file *file)
{
	switch (file->state) {
	case MODULE_FILE_MISSING:
		if (file->error == -EACCES || file->error == -EPERM)
			return "no permission to read the file";
		return file->error && file->error != -ENOENT && file->error != -ENOTDIR
			       ? "the file can't be read"
			       : "the file is missing";
	case MODULE_FILE_CHANGED:
		return "changed since the recording";
	default:
		return module_file_state_text(file->state);
	}
}
