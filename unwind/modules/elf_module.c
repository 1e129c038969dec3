/* Opens a module on first use and asks its CFI, one look-up at a time. */
#include "unwind/modules/elf_module.h"

#include <gelf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/object/elf_image.h"
#include "cct/object/module_file.h"
#include "unwind/cfi/cfi.h"
#include "unwind/code/function_starts.h"
#include "unwind/code/functions.h"
#include "unwind/code/kept_scans.h"
#include "unwind/modules/c_library.h"
#include "unwind/modules/elf_access.h"
#include "unwind/modules/go_rule.h"
#include "unwind/rules/made_rule.h"

/* An entry function is a few dozen bytes of assembly. */
#define ENTRY_SIZE_MAX 256
/* The entry function and what it calls to pass on main()'s address. */
#define START_SIZE_MAX 128

/* More than four functions that leave for landing pads have; a hostile file may ask for any. */
#define MADE_RULES_MAX 1024
/* How far from an instruction arch->make_rule() looks: bytes. */
#define MADE_RULE_SPAN 320

/* What libelf has of a file whose sections were looked at, about. */
#define ELF_SIZE (16u << 10)

/* Larger ones take too long to look through. */
#define STARTS_SIZE_MAX (16u << 20)

struct elf_module {
	const struct module *module; /* borrowed */
	pthread_mutex_t lock;        /* guards the opening, and CFI */
	atomic_bool is_open;         /* tried at least; all but @cfi's inside is constant then */
	struct module_file file;
	const uint8_t *bytes; /* the whole file */
	size_t n_bytes;
	uint64_t entry;
	uint16_t machine;
	uint8_t pointer_size;
	struct elf_segments segments;
	struct cfi *cfi; /* NULL: not readable */
	uint64_t open_ns, n_lookups;
	bool is_timed; /* each look-up is */
	uint64_t lookup_ns, max_lookup_ns;
	struct elf_access_log *log;     /* NULL: nobody asks; borrowed */
	bool has_code;                  /* no section of code was left out of the file */
	bool is_other_file;             /* not ELF */
	bool is_dump;                   /* @bytes are those of a jitdump, mapped */
	bool may_be_c_library;          /* it is or contains one, or this is not known */
	struct functions *functions;    /* NULL: not requested yet */
	struct function_starts *starts; /* of @starts_of; NULL: not requested yet */
	const struct elf_segment *starts_of;
	struct kept_scans *scans;      /* of a watched file; NULL: none yet */
	struct go_pclntab *go_pclntab; /* NULL: no Go program */
	struct made_rule *made;        /* that rules point to */
	size_t n_made;
	bool watches_file;  /* ->file.fd stays open */
	struct stat status; /* of the watched file, when it was opened */
};

/* A recording may carry a file's unwind information and symbols without its code. */
static bool has_code(Elf *elf)
{
	struct elf_section section = { 0 };

	while (elf_next_section(elf, &section))
		if (section.header.sh_flags & SHF_EXECINSTR && section.header.sh_type == SHT_NOBITS)
			return false;
	return true;
}

/* A jitdump is not an ELF file: only its bytes are used. */
static void open_dump(struct elf_module *module)
{
	int fd = module->module->located.image_fd;
	struct stat status;

	module->file.state = MODULE_FILE_NONE;
	if (fd < 0 || fstat(fd, &status) || status.st_size <= 0)
		return;
	void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return;
	module->bytes = bytes;
	module->n_bytes = (size_t)status.st_size;
	module->has_code = module->is_dump = true;
}

static void open_file(struct elf_module *module)
{
	GElf_Ehdr header;

	if (module->module->key.kind == MODULE_JIT) {
		open_dump(module);
		return;
	}
	module_file_open(module->module, &module->file);
	module->is_other_file = module->file.state == MODULE_FILE_BAD;
	if (module->file.state != MODULE_FILE_OK)
		return;
	module->bytes = (const uint8_t *)elf_rawfile(module->file.elf, &module->n_bytes);
	if (module->watches_file && fstat(module->file.fd, &module->status))
		module->status.st_size = -1; /* like no other */
	/* All of the file is mapped, or read: thousands of modules need no descriptors. */
	if (module->bytes && !elf_cntl(module->file.elf, ELF_C_FDREAD) && !module->watches_file) {
		close(module->file.fd);
		module->file.fd = -1;
	}
	if (!gelf_getehdr(module->file.elf, &header) ||
	    elf_segments_init(&module->segments, module->file.elf) || !module->segments.n) {
		module->file.state = MODULE_FILE_BAD;
		return;
	}
	module->entry = header.e_entry;
	module->machine = header.e_machine;
	module->pointer_size = gelf_getclass(module->file.elf) == ELFCLASS32 ? 4 : 8;
	module->cfi = cfi_create(module->file.elf, module->module);
	module->has_code = module->bytes && has_code(module->file.elf);
	module->may_be_c_library =
		module->module->key.kind == MODULE_VDSO || c_library_is_possible(module->file.elf);
	module->go_pclntab = go_pclntab_create(module->file.elf);
}

static void log_access(const struct elf_module *module, uint64_t offset, size_t size)
{
	const struct elf_access access = { module->module->id, offset, size };

	if (module->log)
		elf_access_log_add(module->log, &access);
}

static bool is_open(const struct elf_module *module)
{
	return atomic_load_explicit(&module->is_open, memory_order_acquire);
}

static void elf_module_open(struct elf_module *module)
{
	if (is_open(module))
		return;
	pthread_mutex_lock(&module->lock);
	if (!is_open(module)) {
		uint64_t start_ns = now_ns();
		open_file(module);
		module->open_ns = now_ns() - start_ns;
		atomic_store_explicit(&module->is_open, true, memory_order_release);
	}
	pthread_mutex_unlock(&module->lock);
}

struct elf_module *elf_module_create(const struct module *module, struct elf_access_log *log,
				     bool is_timed)
{
	struct elf_module *elf_module = calloc(1, sizeof(*elf_module));
	if (!elf_module)
		return NULL;
	elf_module->module = module;
	elf_module->log = log;
	elf_module->is_timed = is_timed;
	elf_module->file.fd = -1;
	pthread_mutex_init(&elf_module->lock, NULL);
	return elf_module;
}

static void made_rules_destroy(struct made_rule *made)
{
	while (made) {
		struct made_rule *next = made->next;

		free(made);
		made = next;
	}
}

void elf_module_destroy(struct elf_module *module)
{
	if (!module)
		return;
	cfi_destroy(module->cfi);
	functions_destroy(module->functions);
	function_starts_destroy(module->starts);
	kept_scans_destroy(module->scans);
	go_pclntab_destroy(module->go_pclntab);
	made_rules_destroy(module->made);
	if (module->is_dump)
		munmap((void *)module->bytes, module->n_bytes);
	module_file_close(&module->file);
	pthread_mutex_destroy(&module->lock);
	elf_segments_deinit(&module->segments);
	free(module);
}

void elf_module_watch_file(struct elf_module *module)
{
	module->watches_file = true;
}

bool elf_module_watches_file(const struct elf_module *module)
{
	return module->watches_file;
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* The inode also changes when its file is removed or replaced. */
static bool file_has_changed(const struct elf_module *module)
{
	const struct stat *then = &module->status;
	struct stat now;

	return fstat(module->file.fd, &now) || now.st_size != then->st_size ||
	       now.st_nlink != then->st_nlink || !is_same_time(&now.st_mtim, &then->st_mtim) ||
	       !is_same_time(&now.st_ctim, &then->st_ctim);
}

bool elf_module_is_lasting(const struct elf_module *module)
{
	return is_open(module) && module->watches_file && !module->log && !module->is_timed &&
	       module->file.state == MODULE_FILE_OK && module->file.is_at_path &&
	       module->file.doubt == MODULE_FILE_CERTAIN && module->file.fd >= 0 && module->bytes &&
	       module->cfi && !file_has_changed(module);
}

void elf_module_set_module(struct elf_module *module, const struct module *called)
{
	module->module = called;
	cfi_set_module(module->cfi, called);
	module->n_lookups = 0;
	/* What runs now may be other code than what filled it. */
	if (module->scans && kept_scans_are_full(module->scans))
		kept_scans_destroy(steal_ptr(module->scans));
}

bool elf_module_find_scan(struct elf_module *module, const struct scan_question *question,
			  struct scan_answer *ret)
{
	pthread_mutex_lock(&module->lock);
	const bool is_known = module->scans && kept_scans_find(module->scans, question, ret);
	pthread_mutex_unlock(&module->lock);
	return is_known;
}

void elf_module_keep_scan(struct elf_module *module, const struct scan_question *question,
			  const struct scan_answer *answer)
{
	pthread_mutex_lock(&module->lock);
	if (module->watches_file && !module->scans)
		module->scans = kept_scans_create();
	if (module->scans)
		kept_scans_add(module->scans, question, answer);
	pthread_mutex_unlock(&module->lock);
}

size_t elf_module_size(const struct elf_module *module)
{
	return sizeof(*module) + ELF_SIZE +
	       (module->functions ? functions_size(module->functions) : 0) +
	       (module->starts ? function_starts_size(module->starts) : 0) +
	       (module->scans ? kept_scans_size(module->scans) : 0) +
	       (module->cfi ? cfi_size(module->cfi) : 0) + module->n_made * sizeof(*module->made);
}

/*
 * Whether the code from @start on calls a function that begins at @vaddr or before it, as musl's
 * does next to itself. A recording may carry a file without its code: then it does not, for all we
 * know.
 */
static bool calls_before(const struct elf_module *module, const struct arch *arch, uint64_t start,
			 uint64_t vaddr)
{
	size_t size = vaddr - start;
	int64_t distance;
	uint64_t offset;

	if (!module->bytes || !elf_segments_to_offset(&module->segments, start, &offset) ||
	    offset > module->n_bytes || module->n_bytes - offset < size)
		return false;
	for (size_t at = 1; at <= size; at++)
		if (arch->ends_in_call(module->bytes + offset, at, &distance) && distance > 0 &&
		    (uint64_t)distance <= size - at)
			return true;
	return false;
}

/*
 * An entry function has no caller. Some, like that of ld.so, have no CFI to say so. Where code can
 * be decoded, guess_caller() tells by that.
 */
static bool is_in_entry_function(struct elf_module *module, const struct arch *arch, uint64_t vaddr)
{
	if (!module->entry || vaddr < module->entry || vaddr - module->entry > ENTRY_SIZE_MAX)
		return false;
	/* CFI in between is another function's: the entry function ended before. */
	return !cfi_has_any(module->cfi, module->entry, vaddr) &&
	       !calls_before(module, arch, module->entry, vaddr);
}

/* Longer than any call instruction. */
#define CALL_SIZE_MAX 8u

static bool find_go_rule(const struct elf_module *module, const struct arch *arch, uint64_t offset,
			 uint64_t vaddr, struct rule *rule_ret)
{
	int64_t distance;

	if (!module->go_pclntab)
		return false;
	bool is_return = offset >= CALL_SIZE_MAX && offset < module->n_bytes &&
			 arch->ends_in_call(module->bytes + offset + 1 - CALL_SIZE_MAX,
					    CALL_SIZE_MAX, &distance);
	return go_rule_find(module->go_pclntab, arch, vaddr, is_return, rule_ret);
}

static bool rule_by_code(const struct elf_module *module, const struct arch *arch, uint64_t offset,
			 struct rule *rule_ret)
{
	if (arch->knows_c_library_only && !module->may_be_c_library)
		return false;
	return arch->rule_by_code && module->bytes && offset < module->n_bytes &&
	       arch->rule_by_code(module->bytes, module->n_bytes, offset, rule_ret);
}

static void correct_rule(const struct elf_module *module, const struct arch *arch, uint64_t offset,
			 struct rule *rule)
{
	if (arch->correct_rule && module->bytes && offset < module->n_bytes)
		arch->correct_rule(module->bytes, module->n_bytes, offset, rule);
}

static void log_around(const struct elf_module *module, uint64_t offset)
{
	uint64_t start = offset > MADE_RULE_SPAN ? offset - MADE_RULE_SPAN : 0;
	uint64_t end = module->n_bytes - offset > MADE_RULE_SPAN ? offset + MADE_RULE_SPAN
								 : module->n_bytes;

	log_access(module, start, end - start);
}

/* Replaces what CFI says where the code knows better. */
static void make_rule(struct elf_module *module, const struct arch *arch, uint64_t offset,
		      struct rule *rule)
{
	struct made_rule *made = module->made;

	if (!arch->make_rule || !module->has_code || offset >= module->n_bytes)
		return;
	while (made && made->offset != offset)
		made = made->next;
	if (!made && module->n_made < MADE_RULES_MAX) {
		made = arch->make_rule(module->bytes, module->n_bytes, offset, rule);
		if (!made)
			return;
		made->offset = offset;
		made->next = module->made;
		module->made = made;
		module->n_made++;
	}
	if (!made)
		return;
	log_around(module, offset);
	*rule = (struct rule){ .general_kind = RULE_GENERAL, .general = &made->rule };
}

static bool find_rule_in_file(struct elf_module *module, const struct arch *arch, uint64_t offset,
			      struct rule *rule_ret)
{
	uint64_t vaddr;

	rule_ret->kind = RULE_NONE;
	if (!elf_segments_to_vaddr(&module->segments, offset, &vaddr) ||
	    rule_by_code(module, arch, offset, rule_ret) ||
	    find_go_rule(module, arch, offset, vaddr, rule_ret))
		return false;
	bool follows_stack = cfi_find_rule(module->cfi, arch, vaddr, rule_ret);
	correct_rule(module, arch, offset, rule_ret);
	make_rule(module, arch, offset, rule_ret);
	if (rule_ret->kind == RULE_NONE && !arch->decode &&
	    is_in_entry_function(module, arch, vaddr))
		rule_ret->kind = RULE_ROOT;
	return follows_stack;
}

static bool find_rule(struct elf_module *module, const struct arch *arch, uint64_t offset,
		      struct rule *rule_ret)
{
	*rule_ret = (struct rule){ .kind = RULE_UNREADABLE };
	if (module->file.state == MODULE_FILE_NONE || module->is_other_file)
		rule_ret->kind = RULE_NONE;
	else if (module->cfi && module->machine == arch->elf_machine &&
		 module->pointer_size == arch->pointer_size)
		return find_rule_in_file(module, arch, offset, rule_ret);
	return false;
}

static bool find_rule_timed(struct elf_module *module, const struct arch *arch, uint64_t offset,
			    struct rule *rule_ret)
{
	uint64_t start_ns = now_ns();
	bool follows_stack = find_rule(module, arch, offset, rule_ret);
	uint64_t took_ns = now_ns() - start_ns;

	module->lookup_ns += took_ns;
	if (took_ns > module->max_lookup_ns)
		module->max_lookup_ns = took_ns;
	return follows_stack;
}

bool elf_module_find_rule(struct elf_module *module, const struct arch *arch, uint64_t offset,
			  struct rule *rule_ret)
{
	elf_module_open(module);
	pthread_mutex_lock(&module->lock);
	log_access(module, offset, 0);
	bool follows_stack = module->is_timed ? find_rule_timed(module, arch, offset, rule_ret)
					      : find_rule(module, arch, offset, rule_ret);
	module->n_lookups++;
	pthread_mutex_unlock(&module->lock);
	return follows_stack;
}

static const char *rule_source(struct elf_module *module, const struct arch *arch, uint64_t offset)
{
	struct rule rule;
	uint64_t vaddr;

	if (module->file.state != MODULE_FILE_OK)
		return module_file_state_text(module->file.state);
	if (module->machine != arch->elf_machine || module->pointer_size != arch->pointer_size)
		return "file of another architecture";
	if (!module->cfi || !elf_segments_to_vaddr(&module->segments, offset, &vaddr))
		return "offset in no segment of the file";
	if (rule_by_code(module, arch, offset, &rule))
		return "code that is known";
	if (find_go_rule(module, arch, offset, vaddr, &rule))
		return ".gopclntab";
	const char *section = cfi_section(module->cfi, vaddr);
	if (section)
		return section;
	find_rule(module, arch, offset, &rule);
	return rule.kind == RULE_ROOT ? "entry function" : "no CFI";
}

const char *elf_module_rule_source(struct elf_module *module, const struct arch *arch,
				   uint64_t offset)
{
	elf_module_open(module);
	pthread_mutex_lock(&module->lock);
	const char *source = rule_source(module, arch, offset);
	pthread_mutex_unlock(&module->lock);
	return source;
}

bool elf_module_begins_special(struct elf_module *module, const struct arch *arch, uint64_t offset)
{
	struct rule rule;

	return offset && elf_module_bytes(module, offset, 1) &&
	       module->machine == arch->elf_machine && rule_by_code(module, arch, offset, &rule) &&
	       !rule_by_code(module, arch, offset - 1, &rule);
}

const uint8_t *elf_module_bytes(struct elf_module *module, uint64_t offset, size_t size)
{
	elf_module_open(module);
	log_access(module, offset, size);
	if (!module->has_code || offset > module->n_bytes || module->n_bytes - offset < size)
		return NULL;
	return module->bytes + offset;
}

const uint8_t *elf_module_code(struct elf_module *module, uint64_t offset, size_t *size_ret)
{
	const uint8_t *code = elf_module_bytes(module, offset, 0);

	*size_ret = code ? module->n_bytes - offset : 0;
	return code;
}

bool elf_module_function(struct elf_module *module, uint64_t offset, uint64_t *start_ret,
			 uint64_t *end_ret)
{
	uint64_t vaddr, start, end;

	elf_module_open(module);
	pthread_mutex_lock(&module->lock);
	log_access(module, offset, 0);
	if (module->has_code && module->file.elf && !module->functions)
		module->functions = functions_create(module->file.elf);
	pthread_mutex_unlock(&module->lock);

	if (!module->functions || !elf_segments_to_vaddr(&module->segments, offset, &vaddr) ||
	    !functions_find(module->functions, vaddr, &start, &end))
		return false;
	*start_ret = offset - (vaddr - start);
	*end_ret = offset + (end - vaddr);
	return true;
}

bool elf_module_described_function(struct elf_module *module, uint64_t offset,
				   struct cfi_function *ret)
{
	uint64_t vaddr;

	elf_module_open(module);
	if (!module->cfi || !elf_segments_to_vaddr(&module->segments, offset, &vaddr))
		return false;
	pthread_mutex_lock(&module->lock);
	log_access(module, offset, 0);
	bool is_found = cfi_find_function(module->cfi, vaddr, ret);
	pthread_mutex_unlock(&module->lock);
	if (is_found) {
		ret->start += offset - vaddr;
		ret->end += offset - vaddr;
	}
	return is_found;
}

/* The offset of code. */
static bool code_to_offset(const struct elf_module *module, uint64_t vaddr, uint64_t *offset_ret)
{
	const struct elf_segment *segment = elf_segments_at_vaddr(&module->segments, vaddr);

	return segment && segment->is_executable &&
	       elf_segments_to_offset(&module->segments, vaddr, offset_ret);
}

bool elf_module_entry(struct elf_module *module, uint64_t *offset_ret)
{
	return module->has_code && module->entry &&
	       code_to_offset(module, module->entry, offset_ret);
}

const uint8_t *elf_module_data(struct elf_module *module, uint64_t pc, uint64_t at, size_t size)
{
	elf_module_open(module);
	const struct elf_segment *code = elf_segments_at_offset(&module->segments, pc);
	if (!code || !code->is_executable)
		return NULL;
	const uint64_t vaddr = at - code->offset + code->vaddr;
	const struct elf_segment *data = elf_segments_at_vaddr(&module->segments, vaddr);
	if (!data || data->size - (vaddr - data->vaddr) < size)
		return NULL;
	return elf_module_bytes(module, vaddr - data->vaddr + data->offset, size);
}

bool elf_module_function_start(struct elf_module *module, const struct arch *arch, uint64_t offset,
			       uint64_t distance, uint64_t *start_ret)
{
	const struct elf_segment *segment = elf_segments_at_offset(&module->segments, offset);
	const uint8_t *code = segment && segment->is_executable && segment->size <= STARTS_SIZE_MAX
				      ? elf_module_bytes(module, segment->offset, segment->size)
				      : NULL;
	size_t start;

	if (!code)
		return false;
	pthread_mutex_lock(&module->lock);
	if (!module->starts) {
		module->starts = function_starts_create(arch, module->file.elf, code, segment->size,
							segment->vaddr);
		module->starts_of = segment;
	}
	pthread_mutex_unlock(&module->lock);
	if (!module->starts || module->starts_of != segment ||
	    !function_starts_before(module->starts, offset - segment->offset, distance, &start))
		return false;
	*start_ret = start + segment->offset;
	return true;
}

bool elf_module_main(struct elf_module *module, const struct arch *arch, uint64_t *offset_ret)
{
	uint64_t offset, vaddr;
	size_t size;

	if (!arch->find_main || !elf_module_entry(module, &offset))
		return false;
	const uint8_t *entry = elf_module_code(module, offset, &size);
	return entry &&
	       arch->find_main(entry, size < START_SIZE_MAX ? size : START_SIZE_MAX, module->entry,
			       &vaddr) &&
	       code_to_offset(module, vaddr, offset_ret);
}

bool elf_module_is_anonymous(struct elf_module *module)
{
	return module->module->key.kind == MODULE_ANON || module->module->key.kind == MODULE_JIT ||
	       elf_module_is_other_file(module);
}

bool elf_module_is_other_file(struct elf_module *module)
{
	elf_module_open(module);
	return module->is_other_file;
}

const char *elf_module_problem(const struct elf_module *module)
{
	if (!is_open(module) || module->file.state == MODULE_FILE_OK ||
	    module->file.state == MODULE_FILE_NONE)
		return NULL;
	return module_file_state_text(module->file.state);
}

bool elf_module_cost(const struct elf_module *module, struct elf_module_cost *cost_ret)
{
	if (!is_open(module))
		return false;
	*cost_ret = (struct elf_module_cost){ .n_lookups = module->n_lookups,
					      .open_ns = module->open_ns,
					      .lookup_ns = module->lookup_ns,
					      .max_lookup_ns = module->max_lookup_ns };
	for (size_t i = 0; i < module->segments.n; i++)
		if (module->segments.segments[i].is_executable)
			cost_ret->text_size += module->segments.segments[i].size;
	return true;
}
