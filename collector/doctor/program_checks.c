#include "collector/doctor/program_checks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "cct/object/elf_image.h"
#include "cct/object/elf_symtab.h"
#include "cct/object/module_file.h"
#include "cct/text/file_text.h"
#include "cct/text/maps_line.h"
#include "report/names/debug_packages.h"

#define N_NAMED    3 /* in the text */
#define N_PACKAGES 8 /* files for which packages are searched */

struct running_file {
	char *path; /* owned */
	uint64_t inode;
	size_t n_processes;
	pid_t last_process; /* which is counted */
	bool has_names;
};

struct running_files {
	struct running_file *files;
	size_t n, n_allocated;
	size_t n_hidden; /* processes whose mappings this user can't read */
};

static void files_deinit(struct running_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		free(files->files[i].path);
	free(files->files);
}

/* false: no memory. */
static bool add_mapping(struct running_files *files, const struct maps_line *line, pid_t pid)
{
	for (size_t i = 0; i < files->n; i++) {
		struct running_file *file = &files->files[i];

		if (file->inode != line->inode || strcmp(file->path, line->path) != 0)
			continue;
		file->n_processes += file->last_process != pid;
		file->last_process = pid;
		return true;
	}
	if (array_reserve(files->files, files->n, files->n_allocated, 1))
		return false;
	char *path = strdup(line->path);
	if (!path)
		return false;
	files->files[files->n++] = (struct running_file){
		.path = path, .inode = line->inode, .n_processes = 1, .last_process = pid
	};
	return true;
}

static bool is_code_of_file(const struct maps_line *line)
{
	return line->prot & PROT_EXEC && line->path[0] == '/';
}

static bool add_process(struct running_files *files, const char *pid, struct file_text *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = fd < 0 ? -errno : file_text_read(text, fd);
	if (err) { /* or it has ended meanwhile */
		files->n_hidden += err == -EACCES || err == -EPERM;
		return true;
	}
	for (char *line = text->bytes, *next; line && *line; line = next) {
		struct maps_line mapping;

		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (maps_line_parse(line, &mapping) && is_code_of_file(&mapping) &&
		    !add_mapping(files, &mapping, (pid_t)strtol(pid, NULL, 10)))
			return false;
	}
	return true;
}

/* All processes but this one. false: no memory. */
static bool list_running(struct running_files *files)
{
	struct file_text text = { 0 };
	const struct dirent *entry;
	DIR *proc = opendir("/proc");
	bool has_memory = true;

	while (proc && has_memory && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    strtol(entry->d_name, NULL, 10) != getpid())
			has_memory = add_process(files, entry->d_name, &text);
	if (proc)
		closedir(proc);
	free(text.bytes);
	return has_memory;
}

static bool elf_has_names(Elf *elf)
{
	struct elf_symtab table;
	struct module_file debug;

	if (elf_symtab_open(elf, SHT_SYMTAB, &table))
		return true;
	module_file_open_debug(NULL, elf, &debug);
	bool has_debug = debug.state == MODULE_FILE_OK;
	module_file_close(&debug);
	return has_debug;
}

/* A file that can't be read counts as one that has names: nothing is known of it. */
static bool has_names(const struct running_file *file)
{
	struct stat stat;
	_cleanup_close_ int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &stat) || !S_ISREG(stat.st_mode) || stat.st_ino != file->inode)
		return true;
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool has = !elf || elf_kind(elf) != ELF_K_ELF || elf_has_names(elf);
	elf_end(elf);
	return has;
}

/* Those without names first, of them those of many processes. */
static int compare_by_need(const void *a, const void *b)
{
	const struct running_file *one = a, *other = b;

	if (one->has_names != other->has_names)
		return one->has_names - other->has_names;
	if (one->n_processes != other->n_processes)
		return one->n_processes < other->n_processes ? 1 : -1;
	return strcmp(one->path, other->path);
}

static size_t judge(struct running_files *files)
{
	size_t n_lacking = 0;

	elf_version(EV_CURRENT);
	for (size_t i = 0; i < files->n; i++) {
		files->files[i].has_names = has_names(&files->files[i]);
		n_lacking += !files->files[i].has_names;
	}
	if (files->n)
		qsort(files->files, files->n, sizeof(*files->files), compare_by_need);
	return n_lacking;
}

/* "libc.so.6, bash, ..."; heap. */
static char *lacking_names(const struct running_files *files, size_t n_lacking)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && i < n_lacking && i < N_NAMED; i++)
		fprintf(out, "%s%s", i ? ", " : "", strrchr(files->files[i].path, '/') + 1);
	if (out && n_lacking > N_NAMED)
		fputs(", ...", out);
	return out && fclose(out) == 0 ? text : NULL;
}

static char *packages_of(const struct running_files *files, size_t n_lacking)
{
	const char *paths[N_PACKAGES];
	size_t n = n_lacking < N_PACKAGES ? n_lacking : N_PACKAGES;

	for (size_t i = 0; i < n; i++)
		paths[i] = files->files[i].path;
	char *command = debug_packages_command("", paths, n);
	return command ? command : sentence("dendro report --debuginfod");
}

static const char *hidden_text(const struct running_files *files)
{
	return files->n_hidden ? " Those of other users can't be seen." : "";
}

static void add_lack(struct diagnosis *diagnosis, const char *check,
		     const struct running_files *files, size_t n_lacking)
{
	_cleanup_free_ char *names = lacking_names(files, n_lacking);

	diagnosis_add(diagnosis, check, FINDING_LIMITED,
		      names ? sentence("Processes here run %zu programs and libraries, of which "
				       "%zu have no names of their own functions: %s. Their paths "
				       "are complete, but show 'file+0x1234'.%s",
				       files->n, n_lacking, names, hidden_text(files))
			    : NULL,
		      packages_of(files, n_lacking));
}

void check_function_names(struct diagnosis *diagnosis, const char *check)
{
	struct running_files files = { 0 };
	bool has_memory = list_running(&files);
	size_t n_lacking = judge(&files);

	if (!has_memory)
		diagnosis_add(diagnosis, check, FINDING_NO, NULL, NULL);
	else if (n_lacking)
		add_lack(diagnosis, check, &files, n_lacking);
	else if (!files.n)
		diagnosis_add(diagnosis, check, FINDING_YES,
			      sentence("This user can see no other processes."), NULL);
	else
		diagnosis_add(diagnosis, check, FINDING_YES,
			      sentence("Processes here run %zu programs and libraries; all have "
				       "names of their functions.%s",
				       files.n, hidden_text(&files)),
			      NULL);
	files_deinit(&files);
}
