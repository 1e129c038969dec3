/*
 * The fields of perf_event records, decoded. Pointers lead into the record's own bytes.
 *
 * Layouts: include/uapi/linux/perf_event.h (kernel) and tools/perf/util/event.h (types from 64 on,
 * written by tools).
 */
#ifndef PERF_RECORDS_RECORD_FIELDS_H
#define PERF_RECORDS_RECORD_FIELDS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Record types that tools write (tools/lib/perf/include/perf/event.h). */
enum {
	RECORD_HEADER_ATTR = 64,
	RECORD_ATTACHMENT = 65, /* perf's retired HEADER_EVENT_TYPE, which its readers skip; see
				   perf/records/attachment.h */
	RECORD_TRACING_DATA = 66,
	RECORD_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_AUXTRACE_ERROR = 72,
	RECORD_THREAD_MAP = 73,
	RECORD_CPU_MAP = 74,
	RECORD_STAT_CONFIG = 75,
	RECORD_STAT = 76,
	RECORD_STAT_ROUND = 77,
	RECORD_EVENT_UPDATE = 78,
	RECORD_TIME_CONV = 79,
	RECORD_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_FINISHED_INIT = 82,
	RECORD_COMPRESSED2 = 83,
};

/*
 * Of a sample: the recorder has left its stack copy out. The bit is one of those that the kernel
 * leaves to tools, where it says that /proc took too long
 * (PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT).
 */
#define RECORD_MISC_STACK_LEFT_OUT (1 << 12)

/* Kernel record types newer than the headers of some build machines. */
enum {
	RECORD_KERNEL_TEXT_POKE = 20,
	RECORD_KERNEL_AUX_OUTPUT_HW_ID = 21,
	RECORD_KERNEL_CALLCHAIN_DEFERRED = 22,
};

/* What the attr of an event says about the shape of its records. */
struct record_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t regs_user_mask;
	uint64_t regs_intr_mask;
	bool sample_id_all;
	bool has_build_ids; /* MMAP2 records of the kernel have build IDs where files have them */
};

struct sample_regs {
	uint64_t abi;           /* enum perf_sample_regs_abi; NONE: no user context */
	uint64_t mask;          /* which of perf's registers are there */
	const uint64_t *values; /* popcount(mask) of them, lowest bit first */
};

struct sample_record {
	uint64_t ip;
	uint64_t addr;
	uint64_t period; /* attr's fixed period is the caller's to fill in where no PERIOD is */
	uint64_t weight;
	uint64_t data_src;
	uint64_t transaction;
	uint64_t phys_addr;
	uint64_t cgroup;
	uint64_t data_page_size, code_page_size;
	const uint64_t *callchain; /* leaf first, with PERF_CONTEXT_* markers */
	size_t n_callchain;
	const uint8_t *raw; /* may be unaligned */
	size_t raw_size;
	const struct perf_branch_entry *branches;
	size_t n_branches;
	struct sample_regs user_regs;
	const uint8_t *user_stack; /* from the sampled stack pointer upward */
	size_t user_stack_size;    /* valid bytes (the kernel's dyn_size) */
	size_t user_stack_space;   /* bytes reserved; valid < reserved: the copy ended at a fault */
	struct sample_regs intr_regs;
	/* While recording: a memory record of what the kernel has read at this sample. NULL: none.
	 */
	const struct perf_event_header *memory;
	uint64_t read_time_enabled, read_time_running;
	const uint64_t *read_values; /* raw, by read_format; read_values_of_sample()
	decodes one */
	size_t n_read_values;
	bool has_callchain, has_user_regs, has_user_stack, has_period;
};

/* Fields of a record; strings end with NUL inside the record. */
struct record {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
	uint8_t cpu_mode; /* PERF_RECORD_MISC_CPUMODE_MASK of misc */
	/* From the sample, or the sample_id at the end of other records. */
	bool has_time, has_tid, has_cpu, has_id;
	int32_t pid, tid;
	uint32_t cpu;
	uint64_t time_ns;
	uint64_t id;
	uint64_t stream_id;
	union {
		struct sample_record sample;
		struct {
			int32_t pid, tid;
			uint64_t addr, len, pgoff;
			uint32_t maj, min; /* MMAP2 without build ID */
			uint64_t ino, ino_generation;
			uint8_t build_id_size; /* MMAP2 with build ID; else 0 */
			uint8_t build_id[20];
			uint32_t prot, flags; /* MMAP: PROT_EXEC unless MISC_MMAP_DATA */
			bool is_data;
			const char *filename;
		} mmap; /* MMAP and MMAP2 */
		struct {
			int32_t pid, tid;
			bool is_exec;
			const char *name;
		} comm;
		struct {
			int32_t pid, ppid, tid, ptid;
			uint64_t time_ns;
		} task; /* FORK, EXIT */
		struct {
			uint64_t id, lost;
		} lost; /* LOST; LOST_SAMPLES has no id */
		struct {
			uint64_t time_ns, id, stream_id;
		} throttle; /* THROTTLE, UNTHROTTLE */
		struct {
			int32_t pid, tid;
			uint64_t time_enabled, time_running;
			const uint64_t *values;
			size_t n_values;
		} read;
		struct {
			bool is_out, is_preempt;
			int32_t other_pid, other_tid; /* SWITCH_CPU_WIDE, else -1 */
		} context_switch;                     /* SWITCH, SWITCH_CPU_WIDE */
		struct {
			uint64_t addr;
			uint32_t len;
			uint16_t ksym_type, flags; /* flags & 1: unregister */
			const char *name;
		} ksymbol;
		struct {
			uint16_t bpf_type, flags;
			uint32_t bpf_id;
			const uint8_t *tag; /* 8 bytes */
		} bpf;
		struct {
			uint64_t cgroup_id;
			const char *path;
		} cgroup;
		struct {
			uint64_t addr;
			uint16_t old_len, new_len;
			const uint8_t *old_bytes, *new_bytes;
		} text_poke;
		struct {
			int32_t pid, tid;
			uint64_t n_namespaces;
			const uint64_t *dev_ino; /* pairs */
		} namespaces;
		struct {
			uint64_t cookie;
			const uint64_t *ips;
			size_t n_ips;
		} deferred;
		struct {
			const uint8_t *bytes;
			size_t size;
		} body; /* tool records and all others: what follows the header */
	};
};

enum record_error {
	RECORD_OK,
	RECORD_TOO_SMALL,   /* header.size below what the type needs */
	RECORD_BAD_LENGTH,  /* an inner length leads beyond the record */
	RECORD_NO_NUL,      /* a string does not end inside the record */
	RECORD_UNSUPPORTED, /* sample_type has bits of a kernel newer than this reader, after
			       which positions are unknown */
};

#endif
