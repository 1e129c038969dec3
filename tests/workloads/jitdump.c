/*
 * JIT code, described by a jitdump in the current folder: two functions that take turns
 * at one address, and a third one that is moved each round. They share the work 1:2:3. argv[2] says
 * what is done to the file: "gone", it is removed at the end; "deleted", as soon as it is mapped;
 * "given", it is another user's; "cut", it ends inside a record; "huge", it goes on
 * without one for 300 MiB; "tsc", it says that its times are of the processor's counter.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "work.h"

#define CODE_SIZE 4096
#define MOVED     0x400
#define MOVED_TO  0x800

typedef void work_function(unsigned long iterations);

extern const char loop_begin[], loop_end[];
#ifdef __aarch64__
#define MACHINE 183
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
#define MACHINE 62
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

struct file_header {
	uint32_t magic, version, size, elf_machine, padding, pid;
	uint64_t time, flags;
};

struct record_header {
	uint32_t id, size;
	uint64_t time;
};

struct load {
	struct record_header header;
	uint32_t pid, tid;
	uint64_t vma, addr, size, index;
};

struct move {
	struct record_header header;
	uint32_t pid, tid;
	uint64_t vma, old_addr, new_addr, size, index;
};

static uint64_t last_index;

/* All that is written is in the file at once. */
static void put(int fd, const void *bytes, size_t size)
{
	if (write(fd, bytes, size) != (ssize_t)size)
		exit(1);
}

static int begin_dump(const char *path, const char *how)
{
	struct file_header header = {
		.magic = 0x4a695444,
		.version = 1,
		.size = sizeof(header),
		.elf_machine = MACHINE,
		.pid = (uint32_t)getpid(),
		.time = now_ns(),
		.flags = strcmp(how, "tsc") == 0,
	};
	int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0644);

	if (fd < 0 || (strcmp(how, "given") == 0 && fchown(fd, 65534, 65534) != 0))
		exit(1);
	put(fd, &header, sizeof(header));
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		exit(1);
	if (strcmp(how, "deleted") == 0)
		unlink(path);
	return fd;
}

static void load(int fd, char *code, const char *name)
{
	size_t size = (size_t)(loop_end - loop_begin);
	struct load load = {
		.header = { .id = 0, .size = (uint32_t)(sizeof(load) + strlen(name) + 1 + size) },
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.vma = (uint64_t)code,
		.addr = (uint64_t)code,
		.size = size,
		.index = ++last_index,
	};

	memcpy(code, loop_begin, size);
	__builtin___clear_cache(code, code + size);
	load.header.time = now_ns();
	put(fd, &load, sizeof(load));
	put(fd, name, strlen(name) + 1);
	put(fd, loop_begin, size);
}

static void move(int fd, char *code, char *to)
{
	size_t size = (size_t)(loop_end - loop_begin);
	struct move move = {
		.header = { .id = 1, .size = sizeof(move) },
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.vma = (uint64_t)to,
		.old_addr = (uint64_t)code,
		.new_addr = (uint64_t)to,
		.size = size,
		.index = last_index,
	};

	memmove(to, code, size);
	memset(code, 0, size);
	__builtin___clear_cache(to, to + size);
	move.header.time = now_ns();
	put(fd, &move, sizeof(move));
}

static void run(int fd, char *code, const char *name, unsigned long n)
{
	load(fd, code, name);
	((work_function *)(void *)code)(n * UNIT_ITERATIONS);
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	const char *how = argc > 2 ? argv[2] : "";
	char *code = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];

	if (code == MAP_FAILED)
		return 1;
	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	int fd = begin_dump(path, how);
	printf("%s\n", path);
	fflush(stdout);

	for (unsigned n; (n = rounds_next(&rounds));) {
		run(fd, code, "turn first", n);
		run(fd, code, "turn second", 2 * n);
		load(fd, code + MOVED, "moved");
		move(fd, code + MOVED, code + MOVED_TO);
		((work_function *)(void *)(code + MOVED_TO))(3 * n * UNIT_ITERATIONS);
		KEEP_FRAME();
	}
	if (strcmp(how, "cut") == 0)
		put(fd, &(struct load){ .header.size = 1000 }, sizeof(struct load) / 2);
	if (strcmp(how, "huge") == 0 && ftruncate(fd, 300 << 20) != 0)
		return 1;
	if (strcmp(how, "gone") == 0)
		unlink(path);
	return 0;
}
