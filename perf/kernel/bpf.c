#include "perf/kernel/bpf.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"

/* Functions of one program. More are left out. */
#define FUNCTIONS_MAX 256
/* A signal makes the kernel's verifier stop with EAGAIN, to be called again. */
#define LOADS_MAX 5
#define LOG_SIZE  16384
/* Of linux/bpf_verifier.h (5.2): what is wrong, and statistics, but not each instruction. */
#define LOG_LEVEL 4

static void add(struct bpf_code *code, struct bpf_insn insn)
{
	assert(code->n < BPF_CODE_MAX);
	code->insns[code->n++] = insn;
}

static void add_jump(struct bpf_code *code, struct bpf_insn insn, size_t label)
{
	assert(code->n_jumps < BPF_JUMPS_MAX && label < BPF_LABELS_MAX);
	code->jumps[code->n_jumps].at = code->n;
	code->jumps[code->n_jumps].label = label;
	code->jumps[code->n_jumps++].is_call =
		insn.src_reg == BPF_PSEUDO_CALL && insn.code == (BPF_JMP | BPF_CALL);
	add(code, insn);
}

void bpf_move(struct bpf_code *code, uint8_t to, uint8_t from)
{
	bpf_compute(code, BPF_MOV, to, from);
}

void bpf_move_value(struct bpf_code *code, uint8_t to, int32_t value)
{
	bpf_compute_value(code, BPF_MOV, to, value);
}

void bpf_compute(struct bpf_code *code, uint8_t operation, uint8_t to, uint8_t from)
{
	add(code, (struct bpf_insn){ .code = BPF_ALU64 | operation | BPF_X,
				     .dst_reg = to & 15,
				     .src_reg = from & 15 });
}

void bpf_compute_value(struct bpf_code *code, uint8_t operation, uint8_t to, int32_t value)
{
	add(code, (struct bpf_insn){ .code = BPF_ALU64 | operation | BPF_K,
				     .dst_reg = to & 15,
				     .imm = value });
}

void bpf_load(struct bpf_code *code, uint8_t to, uint8_t base, int offset)
{
	add(code, (struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_DW,
				     .dst_reg = to & 15,
				     .src_reg = base & 15,
				     .off = (int16_t)offset });
}

void bpf_store(struct bpf_code *code, uint8_t base, int offset, uint8_t from)
{
	add(code, (struct bpf_insn){ .code = BPF_STX | BPF_MEM | BPF_DW,
				     .dst_reg = base & 15,
				     .src_reg = from & 15,
				     .off = (int16_t)offset });
}

void bpf_load_map(struct bpf_code *code, uint8_t to, int map_fd)
{
	add(code, (struct bpf_insn){ .code = BPF_LD | BPF_DW, /* BPF_IMM is 0 */
				     .dst_reg = to & 15,
				     .src_reg = BPF_PSEUDO_MAP_FD,
				     .imm = map_fd });
	add(code, (struct bpf_insn){ .code = 0 });
}

void bpf_call(struct bpf_code *code, enum bpf_helper helper)
{
	add(code, (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = (int32_t)helper });
}

void bpf_return(struct bpf_code *code)
{
	add(code, (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT });
}

void bpf_jump(struct bpf_code *code, uint8_t condition, uint8_t left, uint8_t right, size_t label)
{
	const struct bpf_insn insn = { .code = BPF_JMP | condition | BPF_X,
				       .dst_reg = left & 15,
				       .src_reg = right & 15 };

	add_jump(code, insn, label);
}

void bpf_jump_value(struct bpf_code *code, uint8_t condition, uint8_t left, int32_t value,
		    size_t label)
{
	const struct bpf_insn insn = { .code = BPF_JMP | condition | BPF_K,
				       .dst_reg = left & 15,
				       .imm = value };

	add_jump(code, insn, label);
}

void bpf_call_label(struct bpf_code *code, size_t label)
{
	const struct bpf_insn insn = { .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL };

	add_jump(code, insn, label);
}

void bpf_find_value(struct bpf_code *code, int map_fd)
{
	const int key_at = -8;

	bpf_move_value(code, BPF_REG_1, 0);
	bpf_store(code, BPF_REG_10, key_at, BPF_REG_1);
	bpf_load_map(code, BPF_REG_1, map_fd);
	bpf_move(code, BPF_REG_2, BPF_REG_10);
	bpf_compute_value(code, BPF_ADD, BPF_REG_2, key_at);
	bpf_call(code, BPF_MAP_LOOKUP);
	/* Over the return. */
	add(code,
	    (struct bpf_insn){ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_0, .off = 1 });
	bpf_return(code);
}

void bpf_label(struct bpf_code *code, size_t label)
{
	assert(label < BPF_LABELS_MAX);
	code->labels[label] = code->n;
}

static void resolve_jumps(struct bpf_code *code)
{
	for (size_t i = 0; i < code->n_jumps; i++) {
		struct bpf_insn *insn = &code->insns[code->jumps[i].at];
		int distance = (int)code->labels[code->jumps[i].label] - (int)code->jumps[i].at - 1;

		if (code->jumps[i].is_call)
			insn->imm = distance;
		else
			insn->off = (int16_t)distance;
	}
}

static int call_kernel(int command, union bpf_attr *attr)
{
	long result = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return result < 0 ? -errno : (int)result;
}

static uint64_t address_of(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

/* The lines of the kernel's statistics follow what was wrong. */
static bool is_statistics(const char *line)
{
	static const char *const begins[] = { "verification time ", "stack depth ", "processed " };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (strncmp(line, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

static void take_reason(char *log, char *reason_ret)
{
	size_t n = 0;

	for (char *rest = log, *line; (line = strsep(&rest, "\n")) && !is_statistics(line);) {
		if (!*line)
			continue;
		const int size =
			snprintf(reason_ret + n, BPF_REASON_MAX - n, "%s%s", n ? "; " : "", line);
		n += (size_t)size;
		if (n >= BPF_REASON_MAX)
			break;
	}
}

static int try_load(union bpf_attr *attr)
{
	int fd = -EAGAIN;

	for (int i = 0; i < LOADS_MAX && fd == -EAGAIN; i++)
		fd = call_kernel(BPF_PROG_LOAD, attr);
	return fd;
}

/* Again, to be told why. The first error is the one that counts: old kernels know no such level. */
static int ask_reason(struct bpf_code *code, union bpf_attr *attr, int err)
{
	char log[LOG_SIZE] = "";

	attr->log_level = LOG_LEVEL;
	attr->log_buf = address_of(log);
	attr->log_size = sizeof(log);
	const int fd = try_load(attr);
	log[sizeof(log) - 1] = '\0';
	take_reason(log, code->reason);
	return fd < 0 ? err : fd;
}

static int load(struct bpf_code *code, union bpf_attr *attr, const char *name)
{
	/* The functions that read memory are for programs with a license like this only. */
	static const char license[] = "GPL";

	resolve_jumps(code);
	attr->insns = address_of(code->insns);
	attr->insn_cnt = (uint32_t)code->n;
	attr->license = address_of(license);
	snprintf(attr->prog_name, sizeof(attr->prog_name), "%s", name);
	const int fd = try_load(attr);
	return fd < 0 && fd != -EPERM ? ask_reason(code, attr, fd) : fd;
}

int bpf_load_program(struct bpf_code *code, uint32_t type, const char *name)
{
	return load(code, &(union bpf_attr){ .prog_type = type }, name);
}

int bpf_load_iterator(struct bpf_code *code, uint32_t function_id, const char *name)
{
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_TRACING };

	attr.expected_attach_type = BPF_TRACE_ITER;
	attr.attach_btf_id = function_id;
	return load(code, &attr, name);
}

int bpf_create_map(uint32_t type, uint32_t value_size, uint32_t n_values)
{
	union bpf_attr attr = { .map_type = type,
				.key_size = sizeof(uint32_t),
				.value_size = value_size,
				.max_entries = n_values };

	return call_kernel(BPF_MAP_CREATE, &attr);
}

int bpf_create_hash(uint32_t key_size, uint32_t value_size, uint32_t n_values)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_LRU_HASH,
				.key_size = key_size,
				.value_size = value_size,
				.max_entries = n_values };

	return call_kernel(BPF_MAP_CREATE, &attr);
}

int bpf_create_mappable(uint32_t value_size)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY,
				.key_size = sizeof(uint32_t),
				.value_size = value_size,
				.max_entries = 1,
				.map_flags = BPF_F_MMAPABLE };

	return call_kernel(BPF_MAP_CREATE, &attr);
}

int bpf_create_ring(uint32_t size)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_RINGBUF, .max_entries = size };

	return call_kernel(BPF_MAP_CREATE, &attr);
}

int bpf_hash_set(int map_fd, const void *key, const void *value)
{
	union bpf_attr attr = { .map_fd = (uint32_t)map_fd,
				.key = address_of(key),
				.value = address_of(value) };

	return call_kernel(BPF_MAP_UPDATE_ELEM, &attr);
}

int bpf_map_set(int map_fd, uint32_t key, const void *value)
{
	return bpf_hash_set(map_fd, &key, value);
}

int bpf_map_get(int map_fd, uint32_t key, void *value_ret)
{
	union bpf_attr attr = { .map_fd = (uint32_t)map_fd,
				.key = address_of(&key),
				.value = address_of(value_ret) };

	return call_kernel(BPF_MAP_LOOKUP_ELEM, &attr);
}

int bpf_run(int program_fd)
{
	union bpf_attr attr = { .test = { .prog_fd = (uint32_t)program_fd } };

	return call_kernel(BPF_PROG_TEST_RUN, &attr);
}

/* @of: which objects, of union bpf_iter_link_info; NULL: all. */
static int open_iterator(int program_fd, const void *of, uint32_t size)
{
	union bpf_attr link = { .link_create = { .prog_fd = (uint32_t)program_fd,
						 .attach_type = BPF_TRACE_ITER } };

	link.link_create.iter_info = address_of(of);
	link.link_create.iter_info_len = size;
	_cleanup_close_ int link_fd = call_kernel(BPF_LINK_CREATE, &link);
	if (link_fd < 0)
		return link_fd;
	union bpf_attr iterator = { .iter_create = { .link_fd = (uint32_t)link_fd } };
	return call_kernel(BPF_ITER_CREATE, &iterator);
}

int bpf_open_iterator(int program_fd)
{
	return open_iterator(program_fd, NULL, 0);
}

int bpf_open_thread_iterator(int program_fd, int32_t tid)
{
	/* The task part, which linux/bpf.h may lack. */
	struct {
		uint32_t tid, pid, pid_fd, reserved;
	} of = { .tid = (uint32_t)tid };

	return open_iterator(program_fd, &of, sizeof(of));
}

struct function_list {
	struct bpf_function *functions;
	size_t n;
};

static int add_functions(struct function_list *list, int program_fd)
{
	uint64_t addrs[FUNCTIONS_MAX];
	uint32_t sizes[FUNCTIONS_MAX];
	struct bpf_prog_info info = { .nr_jited_ksyms = FUNCTIONS_MAX,
				      .nr_jited_func_lens = FUNCTIONS_MAX,
				      .jited_ksyms = address_of(addrs),
				      .jited_func_lens = address_of(sizes) };
	union bpf_attr attr = { .info = { .bpf_fd = (uint32_t)program_fd,
					  .info_len = sizeof(info),
					  .info = address_of(&info) } };

	int err = call_kernel(BPF_OBJ_GET_INFO_BY_FD, &attr);
	size_t n = info.nr_jited_ksyms;
	if (err || n > FUNCTIONS_MAX || n != info.nr_jited_func_lens)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (array_reserve_one(list->functions, list->n))
			return -ENOMEM;
		list->functions[list->n++] = (struct bpf_function){ addrs[i], sizes[i] };
	}
	return 0;
}

static int add_program(struct function_list *list, uint32_t id)
{
	union bpf_attr attr = { .prog_id = id };
	_cleanup_close_ int fd = call_kernel(BPF_PROG_GET_FD_BY_ID, &attr);

	/* It may have been unloaded by now. */
	return fd < 0 ? 0 : add_functions(list, fd);
}

int bpf_functions_read(struct bpf_function **functions_ret, size_t *n_ret)
{
	struct function_list list = { .n = 0 };
	union bpf_attr attr = { .start_id = 0 };
	int err;

	while (!(err = call_kernel(BPF_PROG_GET_NEXT_ID, &attr))) {
		uint32_t id = attr.next_id;

		err = add_program(&list, id);
		if (err)
			break;
		attr = (union bpf_attr){ .start_id = id };
	}
	if (err != -ENOENT) {
		free(list.functions);
		return err;
	}
	*functions_ret = list.functions;
	*n_ret = list.n;
	return 0;
}
