#include "unwind/guess/process_code.h"

struct elf_module *process_code_module(const struct process_code *code, uint64_t addr,
				       const struct mapping **mapping_ret)
{
	const struct mapping *mapping = address_space_find(code->space, addr);

	*mapping_ret = mapping;
	return mapping ? elf_modules_get(code->elf_modules, mapping->module) : NULL;
}

const uint8_t *process_code_before(const struct process_code *code, uint64_t addr, size_t size,
				   size_t *size_ret)
{
	const struct mapping *mapping;
	struct elf_module *module = process_code_module(code, addr - 1, &mapping);
	if (!module)
		return NULL;

	*size_ret = addr - mapping->start < size ? addr - mapping->start : size;
	return elf_module_bytes(module, addr - mapping->start + mapping->offset - *size_ret,
				*size_ret);
}

void process_code_rule(const struct process_code *code, uint64_t addr, struct rule *rule_ret)
{
	const struct mapping *mapping;
	struct elf_module *module = process_code_module(code, addr, &mapping);

	*rule_ret = (struct rule){ .kind = RULE_NONE };
	if (module)
		elf_module_find_rule(module, code->arch, addr - mapping->start + mapping->offset,
				     rule_ret);
}

bool process_code_has_cfi(const struct process_code *code, uint64_t addr)
{
	struct rule rule;

	process_code_rule(code, addr, &rule);
	return rule.kind != RULE_NONE;
}

bool process_code_is_anonymous(const struct process_code *code, uint64_t addr)
{
	const struct mapping *mapping;
	struct elf_module *module = process_code_module(code, addr, &mapping);

	return module && mapping->is_exec && elf_module_is_anonymous(module);
}

bool process_code_is_other_file(const struct process_code *code, uint64_t addr)
{
	const struct mapping *mapping;
	struct elf_module *module = process_code_module(code, addr, &mapping);

	return module && elf_module_is_other_file(module);
}
