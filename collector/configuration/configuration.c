#include "collector/configuration/configuration.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"

/* Why these settings do not count for this user; heap. NULL: they do. */
static char *find_distrust(const struct stat *file)
{
	uid_t user = geteuid();

	if (file->st_uid && file->st_uid != user)
		return user ? sentence("it belongs to user %u, who is neither you nor root",
				       file->st_uid)
			    : sentence("it belongs to user %u, and root obeys root's files alone",
				       file->st_uid);
	if (file->st_mode & S_IWOTH)
		return sentence("everybody can write it: chmod o-w");
	if (!user && file->st_mode & S_IWGRP)
		return sentence("its group can write it, and this is root: chmod g-w");
	return NULL;
}

/* The whole file, and a zero behind it. */
static int read_all(int fd, char **text_ret, size_t *size_ret)
{
	_cleanup_free_ char *text = malloc(CONFIGURATION_MAX_SIZE + 1);
	size_t size = 0;
	ssize_t n;

	if (!text)
		return -ENOMEM;
	while ((n = read(fd, text + size, CONFIGURATION_MAX_SIZE - size)) > 0)
		size += (size_t)n;
	if (n < 0)
		return -errno;
	if (size == CONFIGURATION_MAX_SIZE)
		return -EFBIG;
	text[size] = '\0';
	*text_ret = steal_ptr(text);
	*size_ret = size;
	return 0;
}

static int fail(char **wrong_ret, char *wrong)
{
	*wrong_ret = wrong;
	return wrong ? -EINVAL : -ENOMEM;
}

static int parse(struct configuration_file *file, int fd, char **wrong_ret)
{
	const char *wrong;
	unsigned line;
	size_t size = 0;
	char *text = NULL;
	int err = read_all(fd, &text, &size);

	if (err == -ENOMEM)
		return err;
	if (err)
		return fail(wrong_ret, sentence("%s: %s.", file->path, strerror(-err)));
	err = configuration_file_parse(file, text, size, &line, &wrong);
	return err == -EINVAL ? fail(wrong_ret, sentence("%s:%u: %s.", file->path, line, wrong))
			      : err;
}

/* Takes @path over; NULL: there is none. Its settings do not count where it may not be trusted. */
static int load_of_place(struct configuration_file *file, char *path, char **wrong_ret)
{
	struct stat status;

	if (!path)
		return 0;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		free(path);
		return 0;
	}
	file->path = path;
	if (fd < 0 || fstat(fd, &status))
		file->left_out = sentence("%s", strerror(errno));
	else if (!S_ISREG(status.st_mode))
		file->left_out = sentence("it is not a regular file");
	else if (!(file->left_out = find_distrust(&status)))
		return parse(file, fd, wrong_ret);
	return file->left_out ? 0 : -ENOMEM;
}

/* The file must be there. */
static int load_of_name(struct configuration_file *file, const char *path, bool needs_trust,
			char **wrong_ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	file->path = strdup(path);
	if (!file->path)
		return -ENOMEM;
	if (fd < 0 || fstat(fd, &status))
		return fail(wrong_ret, sentence("%s: %s.", path, strerror(errno)));
	_cleanup_free_ char *distrust = needs_trust ? find_distrust(&status) : NULL;
	if (distrust)
		return fail(wrong_ret,
			    sentence("%s, which " CONFIGURATION_VARIABLE " names, is refused: %s.",
				     path, distrust));
	return parse(file, fd, wrong_ret);
}

/* As the XDG base directory specification has it; relative names there do not count. */
static int find_of_user(char **path_ret)
{
	const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n = 0;

	*path_ret = NULL;
	if (folder && *folder == '/')
		n = asprintf(path_ret, "%s/dendro.conf", folder);
	else if (home && *home == '/')
		n = asprintf(path_ret, "%s/.config/dendro.conf", home);
	return n < 0 ? -ENOMEM : 0;
}

static int load_of_places(struct configuration_file *files, char **wrong_ret)
{
	char *path = strdup(CONFIGURATION_SYSTEM_PATH);
	int err = path ? load_of_place(&files[CONFIGURATION_OF_SYSTEM], path, wrong_ret) : -ENOMEM;

	if (!err)
		err = find_of_user(&path);
	return err ? err : load_of_place(&files[CONFIGURATION_OF_USER], path, wrong_ret);
}

int configuration_load(struct configuration *configuration, const char *option_path)
{
	const char *named = getenv(CONFIGURATION_VARIABLE);
	int err = 0;

	*configuration = (struct configuration){ 0 };
	struct configuration_file *files = configuration->files;
	if (!named || *named)
		err = load_of_places(files, &configuration->wrong);
	if (!err && named && *named)
		err = load_of_name(&files[CONFIGURATION_OF_VARIABLE], named, true,
				   &configuration->wrong);
	if (!err && option_path)
		err = load_of_name(&files[CONFIGURATION_OF_OPTION], option_path, false,
				   &configuration->wrong);
	return err;
}

void configuration_deinit(struct configuration *configuration)
{
	for (size_t i = 0; i < CONFIGURATION_N_SOURCES; i++)
		configuration_file_deinit(&configuration->files[i]);
	for (size_t i = 0; i < configuration->n_kept; i++)
		free(configuration->kept[i]);
	free(configuration->kept);
	free(configuration->wrong);
	*configuration = (struct configuration){ 0 };
}

char *configuration_copy(struct configuration *configuration, const char *text)
{
	char *copy = strdup(text);

	if (!copy || array_reserve_one(configuration->kept, configuration->n_kept)) {
		free(copy);
		return NULL;
	}
	configuration->kept[configuration->n_kept++] = copy;
	return copy;
}
