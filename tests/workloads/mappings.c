/*
 * Code that comes into a process by other ways than exec and one dlopen: mappings MODE [SECONDS].
 * In each mode two functions call two pieces of such code with work in the ratio 1:2. The names of
 * the libraries' functions are those of reload_library.c.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "work.h"

typedef void (*work_function)(unsigned n);
typedef void (*indirect_function)(work_function work, unsigned n);

static char folder[PATH_MAX - 64];

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "mappings: %s\n", what);
	exit(1);
}

static FUNCTION void caller_1(work_function work, unsigned n)
{
	work(n);
	KEEP_FRAME();
}

static FUNCTION void caller_2(work_function work, unsigned n)
{
	work(2 * n);
	KEEP_FRAME();
}

static void library_path(char path[PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "%s/lib%s.so", folder, name);
}

static work_function work_of(void *library, const char *name)
{
	char symbol[64];

	snprintf(symbol, sizeof(symbol), "%s_work", name);
	work_function work = library ? (work_function)dlsym(library, symbol) : NULL;
	if (!work)
		fail(dlerror());
	return work;
}

/* The same file, loaded twice, each time with a separate C library. */
static work_function load_in_namespace(const char *name)
{
	char path[PATH_MAX];

	library_path(path, name);
	return work_of(dlmopen(LM_ID_NEWLM, path, RTLD_NOW), name);
}

/* What a file holds at some time is what runs: these write a file and read the libraries'. */
static void copy_file(const char *from, int to)
{
	static char bytes[65536]; /* on the stack, its untouched pages would end the copies */
	ssize_t n;
	int fd = open(from, O_RDONLY);

	if (fd < 0 || to < 0)
		fail(from);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, (size_t)n) != n)
			fail("write");
	close(fd);
}

static work_function load_from_memory(const char *name)
{
	char path[PATH_MAX];
	int fd = memfd_create(name, 0);

	library_path(path, name);
	copy_file(path, fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return work_of(dlopen(path, RTLD_NOW), name);
}

/* The loader takes one name for one library: each time another name of the one path. */
static void *load_again(const char *file)
{
	static char prefix[] = "./././././", *at = prefix + sizeof(prefix) - 1;
	char path[PATH_MAX];

	at -= 2;
	snprintf(path, sizeof(path), "%s%s", at, file);
	return dlopen(path, RTLD_NOW);
}

/* Each library comes from the same path, where it is gone, or another one, afterwards. */
static work_function load_and_remove(const char *name)
{
	char path[PATH_MAX];
	int fd = open("./libgone.so", O_WRONLY | O_CREAT | O_EXCL, 0755);

	library_path(path, name);
	copy_file(path, fd);
	close(fd);
	void *library = load_again("libgone.so");
	unlink("./libgone.so");
	return work_of(library, name);
}

static work_function load_and_replace(const char *name)
{
	char path[PATH_MAX];
	int fd = open("./libnew.so", O_WRONLY | O_CREAT | O_EXCL, 0755);

	library_path(path, name);
	copy_file(path, fd);
	close(fd);
	if (rename("./libnew.so", "./libreplaced.so"))
		fail("rename");
	return work_of(load_again("libreplaced.so"), name);
}

/* The segment of a library's code alone, mapped without the loader. */
static work_function map_code(const char *name)
{
	char path[PATH_MAX];

	library_path(path, name);
	work_function loaded = work_of(dlopen(path, RTLD_NOW), name);
	Dl_info info;
	struct stat st;
	int fd = open(path, O_RDONLY);
	if (!dladdr((void *)loaded, &info) || fd < 0 || fstat(fd, &st))
		fail(path);

	const uint8_t *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		fail("mmap");
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
	const Elf64_Phdr *segment = (const Elf64_Phdr *)(file + header->e_phoff);
	while (!(segment->p_type == PT_LOAD && segment->p_flags & PF_X))
		segment++;
	uint8_t *code = mmap(NULL, segment->p_filesz, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
			     (off_t)segment->p_offset);
	if (code == MAP_FAILED)
		fail("mmap of code");
	close(fd);
	return (work_function)(void *)(code + ((uint8_t *)loaded - (uint8_t *)info.dli_fbase) -
				       segment->p_vaddr);
}

/*
 * Position-independent code: calls what it is given and keeps a frame pointer, or works by itself
 * and leaves the stack alone.
 */
extern const uint8_t framed_start[], framed_end[], leaf_start[], leaf_end[];
__asm__(".text\n"
	".globl framed_start, framed_end, leaf_start, leaf_end\n"
	"framed_start:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	mov %rdi, %rax\n"
	"	mov %esi, %edi\n"
	"	call *%rax\n"
	"	pop %rbp\n"
	"	ret\n"
	"framed_end:\n"
	"leaf_start:\n"
	"1:	mov $100000, %eax\n"
	"	.p2align 6\n"
	"2:	dec %rax\n"
	"	jnz 2b\n"
	"	dec %edi\n"
	"	jnz 1b\n"
	"	ret\n"
	"leaf_end:\n");

/* Written first, executable only afterwards: mprotect says so. */
static void *copy_code(const uint8_t *start, const uint8_t *end)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		fail("mmap");
	memcpy(page, start, (size_t)(end - start));
	if (mprotect(page, size, PROT_READ | PROT_EXEC))
		fail("mprotect");
	return page;
}

static FUNCTION void called_work(unsigned n)
{
	units(n);
}

/* The chain of frame pointers is all that leads from the copied code to its callers. */
static FUNCTION __attribute__((optimize("no-omit-frame-pointer"))) void
framed_caller(indirect_function code, unsigned n)
{
	code(called_work, n);
	KEEP_FRAME();
}

/* The copied code's frame pointer does not lead to a frame of its caller: only its bytes do. */
static FUNCTION void frameless_caller(indirect_function code, unsigned n)
{
	code(called_work, n);
	KEEP_FRAME();
}

struct mode {
	const char *name;
	work_function (*load)(const char *library);
	const char *libraries[2];
};

static void run_loaded(const struct mode *mode, struct rounds *rounds)
{
	work_function work[2];
	unsigned n;

	for (int i = 0; i < 2; i++)
		work[i] = mode->load(mode->libraries[i]);
	while ((n = rounds_next(rounds))) {
		caller_1(work[0], n);
		caller_2(work[1], n);
	}
}

static void run_copied(struct rounds *rounds)
{
	work_function leaf = (work_function)copy_code(leaf_start, leaf_end);
	indirect_function framed = (indirect_function)copy_code(framed_start, framed_end);
	unsigned n;

	while ((n = rounds_next(rounds))) {
		caller_1(leaf, n);
		framed_caller(framed, 2 * n);
	}
}

static void run_frameless(struct rounds *rounds)
{
	indirect_function framed = (indirect_function)copy_code(framed_start, framed_end);
	unsigned n;

	while ((n = rounds_next(rounds)))
		frameless_caller(framed, n);
}

int main(int argc, char **argv)
{
	static const struct mode modes[] = {
		{ "dlmopen", load_in_namespace, { "alpha", "alpha" } },
		{ "memfd", load_from_memory, { "alpha", "gamma" } },
		{ "removed", load_and_remove, { "alpha", "gamma" } },
		{ "replaced", load_and_replace, { "alpha", "gamma" } },
		{ "mapped", map_code, { "alpha", "gamma" } },
	};
	if (argc < 2)
		return 2;
	struct rounds rounds = rounds_begin(argc - 1, argv + 1);
	const char *slash = strrchr(argv[0], '/');

	snprintf(folder, sizeof(folder), "%.*s", (int)(slash ? slash - argv[0] : 0), argv[0]);
	if (!strcmp(argv[1], "copied")) {
		run_copied(&rounds);
		return 0;
	}
	if (!strcmp(argv[1], "frameless")) {
		run_frameless(&rounds);
		return 0;
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(argv[1], modes[i].name)) {
			run_loaded(&modes[i], &rounds);
			return 0;
		}
	}
	return 2;
}
