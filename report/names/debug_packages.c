#include "report/names/debug_packages.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/text/file_text.h"

#define LISTS           "/var/lib/dpkg/info"
#define RELEASE         "/etc/os-release"
#define MAX_PATHS       8
#define MAX_NAME        128
#define USR_SIZE        (sizeof("/usr") - 1)
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.~_/"

/* A file whose package is searched. */
struct packaged_file {
	const char *path;
	size_t size;            /* of the path */
	bool has_usr;           /* the path begins with /usr */
	char package[MAX_NAME]; /* "": not found */
};

struct package_search {
	int folder; /* of dpkg's lists */
	struct packaged_file files[MAX_PATHS];
	size_t n_files;
	size_t n_found;
	struct file_text text; /* of one list */
	size_t n_read;
};

bool debug_packages_are_here(const char *hostname, const char *os_release)
{
	struct utsname here;

	if (!hostname || !os_release || uname(&here))
		return false;
	return strcmp(hostname, here.nodename) == 0 && strcmp(os_release, here.release) == 0;
}

/* Opens a plain file of at most @max_size bytes and returns its descriptor, or -1. */
static int open_plain(int folder, const char *path, size_t max_size)
{
	struct stat stat;
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -1;
	if (fstat(fd, &stat) || !S_ISREG(stat.st_mode) || (uint64_t)stat.st_size > max_size) {
		close(fd);
		return -1;
	}
	return fd;
}

/* A file below /usr/lib may be listed below /lib, and likewise for /bin and /sbin. */
static bool is_file(const char *line, size_t size, const struct packaged_file *file)
{
	size_t skipped = file->has_usr && size + USR_SIZE == file->size ? USR_SIZE : 0;

	return size + skipped == file->size && memcmp(line, file->path + skipped, size) == 0;
}

/* "libc6:amd64.list" -> "libc6" */
static bool package_name(const char *list, char *name)
{
	size_t size = strcspn(list, ":");
	const char *dot = strrchr(list, '.');

	if (!dot || strcmp(dot, ".list") != 0)
		return false;
	if ((size_t)(dot - list) < size)
		size = (size_t)(dot - list);
	if (!size || size >= MAX_NAME)
		return false;
	memcpy(name, list, size);
	name[size] = '\0';
	return !name[strspn(name, NAME_CHARACTERS)];
}

/* Notes the package of those files that its list contains. */
static void search_lines(struct package_search *search, const char *package)
{
	const char *line = search->text.bytes, *end = line + search->text.size, *next;

	for (; line < end; line = next + 1) {
		next = memchr(line, '\n', (size_t)(end - line));
		if (!next)
			next = end;
		for (size_t i = 0; i < search->n_files; i++) {
			struct packaged_file *file = &search->files[i];

			if (*file->package || !is_file(line, (size_t)(next - line), file))
				continue;
			memcpy(file->package, package, MAX_NAME);
			search->n_found++;
		}
	}
}

static void search_list(struct package_search *search, const char *list)
{
	char name[MAX_NAME];

	if (!package_name(list, name))
		return;
	_cleanup_close_ int fd =
		open_plain(search->folder, list, DEBUG_PACKAGES_MAX_READ - search->n_read);
	if (fd < 0 || file_text_read(&search->text, fd))
		return;
	search->n_read += search->text.size;
	search_lines(search, name);
}

/*
 * Whether a list's name begins as that of a file does (libtinfo.so.6.4 is in libtinfo6), or is that
 * of a package of many programs.
 */
static bool is_likely(const struct package_search *search, const char *list)
{
	static const char *const large[] = { "coreutils.", "util-linux.", "binutils",
					     "cpp-",       "gcc-",        "g++-" };

	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		if (strncmp(list, large[i], strlen(large[i])) == 0)
			return true;
	}
	for (size_t i = 0; i < search->n_files; i++) {
		const char *name = strrchr(search->files[i].path, '/');
		size_t size = name ? strcspn(++name, ".-_") : 0;

		if (size && strncasecmp(list, name, size) == 0)
			return true;
	}
	return false;
}

/* There are thousands of lists, so the likely ones come first: mostly, no others are needed. */
static void search_lists(struct package_search *search, DIR *folder, bool likely)
{
	const struct dirent *entry;

	rewinddir(folder);
	while (search->n_found < search->n_files && search->n_read < DEBUG_PACKAGES_MAX_READ &&
	       (entry = readdir(folder))) {
		if (is_likely(search, entry->d_name) == likely)
			search_list(search, entry->d_name);
	}
}

static bool is_repeated(const struct package_search *search, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (strcmp(search->files[i].package, search->files[index].package) == 0)
			return true;
	}
	return false;
}

static char *apt_command(const struct package_search *search)
{
	char *command = NULL;
	size_t size;
	FILE *out = open_memstream(&command, &size);

	if (!out)
		return NULL;
	fputs("apt install", out);
	for (size_t i = 0; i < search->n_files; i++) {
		const char *name = search->files[i].package;

		/* glibc's symbols are in a package that is older than the suffix. */
		if (*name && !is_repeated(search, i))
			fprintf(out, " %s%s", name, strcmp(name, "libc6") ? "-dbgsym" : "-dbg");
	}
	return fclose(out) ? NULL : command;
}

/* Whether packages of Debian have files there; a program that somebody built is elsewhere. */
static bool is_of_system(const char *path)
{
	static const char *const folders[] = { "/usr/", "/lib", "/bin/", "/sbin/", "/opt/" };

	if (strncmp(path, "/usr/local/", strlen("/usr/local/")) == 0)
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return true;
	}
	return false;
}

static void add_files(struct package_search *search, const char *const *paths, size_t n_paths)
{
	for (size_t i = 0; i < n_paths; i++) {
		if (!is_of_system(paths[i]))
			continue;
		search->files[search->n_files++] = (struct packaged_file){
			.path = paths[i],
			.size = strlen(paths[i]),
			.has_usr = strncmp(paths[i], "/usr/", strlen("/usr/")) == 0,
		};
	}
}

static char *ask_dpkg(const char *root, const char *const *paths, size_t n_paths)
{
	struct package_search search = { .n_found = 0 };
	char path[PATH_MAX];
	char *command = NULL;

	add_files(&search, paths, n_paths);
	snprintf(path, sizeof(path), "%s" LISTS, root);
	DIR *folder = opendir(path);
	if (!folder)
		return NULL;
	search.folder = dirfd(folder);
	search_lists(&search, folder, true);
	search_lists(&search, folder, false);
	if (search.n_found)
		command = apt_command(&search);
	free(search.text.bytes);
	closedir(folder);
	return command;
}

/* Whether the system has dnf: ID or ID_LIKE of /etc/os-release is Fedora or Red Hat's. */
static bool has_dnf(const char *root)
{
	static const char *const systems[] = { "fedora", "rhel", "centos" };
	_cleanup_free_ char *text = NULL;
	struct file_text release = { 0 };
	char path[PATH_MAX];
	bool found = false;

	snprintf(path, sizeof(path), "%s" RELEASE, root);
	_cleanup_close_ int fd = open_plain(AT_FDCWD, path, 1u << 16);
	if (fd >= 0 && file_text_read(&release, fd) == 0)
		text = release.bytes;
	else
		free(release.bytes);
	for (char *line = text; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t size = strcspn(line, "\n");
		bool is_id = strncmp(line, "ID=", 3) == 0 || strncmp(line, "ID_LIKE=", 8) == 0;

		for (size_t i = 0; is_id && i < sizeof(systems) / sizeof(systems[0]); i++)
			found |= memmem(line, size, systems[i], strlen(systems[i])) != NULL;
	}
	return found;
}

/* Whether a file may be of a package: those are below /usr, but not below /usr/local. */
static bool is_packaged(const char *path)
{
	return strncmp(path, "/usr/", strlen("/usr/")) == 0 &&
	       strncmp(path, "/usr/local/", strlen("/usr/local/")) != 0;
}

/* dnf finds a package by a file of it. */
static char *dnf_command(const char *const *paths, size_t n_paths)
{
	char *command = NULL;
	size_t size, n = 0;
	FILE *out = open_memstream(&command, &size);

	if (!out)
		return NULL;
	fputs("dnf debuginfo-install", out);
	for (size_t i = 0; i < n_paths; i++) {
		if (!is_packaged(paths[i]) || paths[i][strspn(paths[i], NAME_CHARACTERS)])
			continue;
		fprintf(out, " %s", paths[i]);
		n++;
	}
	if (fclose(out) == 0 && n)
		return command;
	free(command);
	return NULL;
}

char *debug_packages_command(const char *root, const char *const *paths, size_t n_paths)
{
	size_t n = n_paths < MAX_PATHS ? n_paths : MAX_PATHS;
	char *command = n ? ask_dpkg(root, paths, n) : NULL;

	if (command || !n || !has_dnf(root))
		return command;
	return dnf_command(paths, n);
}
