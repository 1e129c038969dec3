#include "report/names/name_problems.h"

#include "cct/model/stored_names.h"
#include "cct/object/elf_image.h"
#include "report/code/elf_symbols.h"
#include "report/names/go_names.h"
#include "report/names/kernel_debug.h"
#include "report/names/module_names.h"

/*
 * Why code has no name although its file, if any, could be read. The text lives as long as the
 * profile.
 */
static const char *explain_unnamed(const struct module_names *names, const struct module *module)
{
	if (module->key.kind == MODULE_KERNEL && names->kernel_places &&
	    names->kernel_places->no_names)
		return names->kernel_places->no_names;
	if (module->key.kind == MODULE_KERNEL)
		return module->symbols ? "some addresses have no name"
				       : "kernel names were not recorded";
	if (module->key.kind == MODULE_ANON)
		return "anonymous (JIT) code; no perf-PID.map or jitdump names it";
	if (module->key.kind == MODULE_JIT)
		return module->symbols ? "the jitdump does not name all of its code"
				       : "the jitdump is missing";
	if (names->go && !names->go_has_symbols)
		return "stripped: only its Go functions have names";
	if (names->debug_elf || (names->elf && elf_symbols_are_all(names->elf)))
		return "some of its code has no symbols";
	if (names->elf && elf_symbols_any(names->elf))
		return "stripped: only its exported functions have names";
	return "stripped: no symbols";
}

/* Fills in why some code has no name. */
static void explain_names(const struct module_names *names, const struct module *module,
			  struct symbol_problem *problem)
{
	bool is_file = module->key.kind == MODULE_ELF || module->key.kind == MODULE_VDSO;

	if (!is_file || names->file.state == MODULE_FILE_OK) {
		problem->text = explain_unnamed(names, module);
		return;
	}
	problem->text = module_file_problem(&names->file);
	problem->error = names->file.error;
	problem->is_changed = names->file.state == MODULE_FILE_CHANGED;
	problem->found = names->file.found;
}

#define TRUNCATED "the file is truncated"

/* What was missing when the profile was stored, of the names that were requested since. */
static bool find_stored(const struct module_names *names, const struct module *module,
			enum symbol_lack lack, struct symbol_problem *problem_ret)
{
	const struct stored_lack *stored = stored_names_find_lack(names->stored, module->id, lack);
	const char *text = stored ? stored_names_text(names->stored, stored->text) : NULL;

	if (!text)
		return false;
	*problem_ret = (struct symbol_problem){
		.module = module->id,
		.lack = lack,
		.text = text,
		.build_id = stored->build_id,
		.is_changed = stored->is_changed,
		.found = stored->found,
		.error = stored->error,
	};
	switch (lack) {
	case LACKS_NAMES:
		return names->has_unnamed;
	case LACKS_DEBUG_INFO:
		return names->wants_debug_info;
	case LACKS_CERTAINTY:
		return names->is_named;
	}
	return false;
}

bool name_problems_find(const struct module_names *names, const struct module *module,
			enum symbol_lack lack, struct symbol_problem *problem_ret)
{
	if (names->stored)
		return find_stored(names, module, lack, problem_ret);
	*problem_ret = (struct symbol_problem){ .module = module->id,
						.lack = lack,
						.build_id = module->key.build_id };
	if (!problem_ret->build_id.size && names->file.elf)
		elf_build_id(names->file.elf, &problem_ret->build_id);
	bool is_cut = names->file.elf && elf_is_cut(names->file.elf);
	switch (lack) {
	case LACKS_NAMES:
		explain_names(names, module, problem_ret);
		if (is_cut)
			problem_ret->text = TRUNCATED;
		return names->has_unnamed;
	case LACKS_DEBUG_INFO:
		problem_ret->text = is_cut ? TRUNCATED
				    : names->lacks_debug
					    ? "no debug information"
					    : "the tables of the Go program are too large to read";
		return names->lacks_debug || (names->go && go_names_gave_up(names->go));
	case LACKS_CERTAINTY:
		problem_ret->text =
			names->file.doubt == MODULE_FILE_COPY
				? "may be another file: no build ID was recorded to verify it"
				: "may have changed: no build ID, and modified after it was mapped";
		return names->file.doubt != MODULE_FILE_CERTAIN;
	}
	return false;
}

const char *name_problems_of_code(const struct module_names *names, const struct module *module,
				  bool has_symbol)
{
	if (!has_symbol && module && module->key.kind == MODULE_ANON)
		return "no perf-PID.map or jitdump names the function, so its bounds are unknown";
	if (!module || module->key.kind == MODULE_ANON)
		return "its code was not recorded; a jitdump would contain it";
	if (module->key.kind == MODULE_KERNEL)
		return kernel_debug_is_kernel(module)
			       ? "no file with the kernel's code was found (--vmlinux FILE)"
			       : "the code of kernel modules and BPF programs cannot be shown";
	if (module->key.kind == MODULE_JIT && module->key.path[0] == '[')
		return "a run-time system has described the code, which was not recorded; a "
		       "jitdump would contain it";
	if (module->key.kind == MODULE_JIT)
		return module->located.image_fd < 0 ? "the jitdump is missing"
						    : "the jitdump does not contain the code";
	return names && names->file.state != MODULE_FILE_OK
		       ? module_file_state_text(names->file.state)
		       : "the file does not contain the code";
}
