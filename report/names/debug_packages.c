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
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.~_/"

struct package_search {
	int folder; /* of dpkg's lists */
	const char *const *paths;
	size_t n_paths;
	char packages[MAX_PATHS][MAX_NAME]; /* by path; "": not found */
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

/* Whether a list has a line that is @path. */
static bool has_line(const struct file_text *text, const char *path)
{
	size_t size = strlen(path);
	const char *at = text->bytes, *end = text->bytes + text->size;

	while ((at = memmem(at, (size_t)(end - at), path, size))) {
		if ((at == text->bytes || at[-1] == '\n') && (at[size] == '\n' || !at[size]))
			return true;
		at += size;
	}
	return false;
}

/* A file below /usr/lib may be listed below /lib, and likewise for /bin and /sbin. */
static bool lists_file(const struct file_text *text, const char *path)
{
	bool has_usr = strncmp(path, "/usr/", strlen("/usr/")) == 0;

	return has_line(text, path) || (has_usr && has_line(text, path + strlen("/usr")));
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
	for (size_t i = 0; i < search->n_paths; i++) {
		if (*search->packages[i] || !lists_file(&search->text, search->paths[i]))
			continue;
		memcpy(search->packages[i], name, sizeof(name));
		search->n_found++;
	}
}

static void search_lists(struct package_search *search, DIR *folder)
{
	const struct dirent *entry;

	while (search->n_found < search->n_paths && search->n_read < DEBUG_PACKAGES_MAX_READ &&
	       (entry = readdir(folder)))
		search_list(search, entry->d_name);
}

static bool is_repeated(const struct package_search *search, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (strcmp(search->packages[i], search->packages[index]) == 0)
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
	for (size_t i = 0; i < search->n_paths; i++) {
		const char *name = search->packages[i];

		/* glibc's symbols are in a package that is older than the suffix. */
		if (*name && !is_repeated(search, i))
			fprintf(out, " %s%s", name, strcmp(name, "libc6") ? "-dbgsym" : "-dbg");
	}
	return fclose(out) ? NULL : command;
}

static char *ask_dpkg(const char *root, const char *const *paths, size_t n_paths)
{
	struct package_search search = { .paths = paths, .n_paths = n_paths };
	char path[PATH_MAX];
	char *command = NULL;

	snprintf(path, sizeof(path), "%s" LISTS, root);
	DIR *folder = opendir(path);
	if (!folder)
		return NULL;
	search.folder = dirfd(folder);
	search_lists(&search, folder);
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
