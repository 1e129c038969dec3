/*
 * Code made at run time, with names in perf-PID.map as compilers write them: two functions that
 * share the work 1:2, below lines that name code which has moved away. What argv[2] says is done to
 * the file: "link" makes it a symbolic link, "given" another user's.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "work.h"

#define CODE_SIZE 4096
#define SECOND    0x400

typedef void work_function(unsigned long iterations);

extern const char loop_begin[], loop_end[];
#ifdef __aarch64__
__asm__(".text\n"
	".globl loop_begin, loop_end\n"
	"loop_begin:\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	mov x29, sp\n"
	"1:	subs x0, x0, #1\n"
	"	b.ne 1b\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
	"loop_end:\n");
#else
__asm__(".text\n"
	".globl loop_begin, loop_end\n"
	"loop_begin:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"1:	dec %rdi\n"
	"	jnz 1b\n"
	"	pop %rbp\n"
	"	ret\n"
	"loop_end:\n");
#endif

static void write_names(const char *path, const char *code)
{
	size_t size = (size_t)(loop_end - loop_begin);
	FILE *file = fopen(path, "we");

	if (!file)
		exit(1);
	fprintf(file, "%lx %x moved_away\n", (unsigned long)code, CODE_SIZE);
	fprintf(file, "no line of a map\n");
	fprintf(file, "%lx %zx made first\n", (unsigned long)code, size);
	fprintf(file, "%lx %zx made second\n", (unsigned long)code + SECOND, size);
	fclose(file);
}

/* A recorder that looks at any time finds no file, or the one that @how describes. */
static void put_file(const char *path, const char *code, const char *how)
{
	char other[64];

	snprintf(other, sizeof(other), "%s.other", path);
	write_names(other, code);
	if (strcmp(how, "given") == 0 && chown(other, 65534, 65534) != 0)
		exit(1);
	if ((strcmp(how, "link") == 0 ? symlink(other, path) : rename(other, path)) != 0)
		exit(1);
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	char *code = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];

	if (code == MAP_FAILED)
		return 1;
	memcpy(code, loop_begin, (size_t)(loop_end - loop_begin));
	memcpy(code + SECOND, loop_begin, (size_t)(loop_end - loop_begin));
	__builtin___clear_cache(code, code + CODE_SIZE);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	put_file(path, code, argc > 2 ? argv[2] : "");
	printf("%s\n", path);
	fflush(stdout);

	work_function *first = (work_function *)(void *)code;
	work_function *second = (work_function *)(void *)(code + SECOND);
	for (unsigned n; (n = rounds_next(&rounds));) {
		first(n * UNIT_ITERATIONS);
		second(2 * n * UNIT_ITERATIONS);
		KEEP_FRAME();
	}
	if (argc > 2 && strcmp(argv[2], "gone") == 0)
		unlink(path);
	return 0;
}
