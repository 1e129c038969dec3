#include "unwind/walk/runtime_frame.h"

#include "unwind/guess/guess.h"
#include "unwind/rules/machine_instruction.h"

#define INSTRUCTION_MAX 15
#define PROLOGUE_MAX    64 /* instructions */
#define EPILOGUE_MAX    12
#define STUB_MAX        32
#define ENTRY_MAX       8
/* Words that the code of an intrinsic pushes for a while in the middle of a function. */
#define PUSHED_MAX 4

/* Words of the interpreter's frame, from its frame pointer. */
#define SENDER_SP (-1)
#define METHOD    (-3)

/* What the instructions from the frame's pc on do to the stack and the frame pointer. */
struct ahead {
	const struct arch *arch;
	int64_t sp;      /* moved by so much */
	int64_t fp_slot; /* where the frame pointer is loaded from, from the stack pointer at the
			    pc; if @loads_fp */
	bool loads_fp, saves_fp;
};

static uint64_t slot_of(const struct runtime_place *place, uint64_t base, int n)
{
	return base + (uint64_t)((int64_t)n * place->process->arch->pointer_size);
}

/* false: the stack pointer is not known after it. */
static bool follow_op(struct ahead *ahead, const struct machine_op *op)
{
	const uint8_t sp = ahead->arch->sp, fp = ahead->arch->fp;

	switch ((enum machine_op_kind)op->kind) {
	case OP_SET:
		if (op->to == sp && op->from != sp)
			return false;
		if (op->to == sp)
			ahead->sp += op->value;
		return true;
	case OP_LOAD:
		if (op->to == fp && op->from == sp) {
			ahead->fp_slot = ahead->sp + op->value;
			ahead->loads_fp = true;
		}
		return op->to != sp;
	case OP_PUSH:
	case OP_POP:
		return true;
	case OP_STORE:
		ahead->saves_fp |= op->from == fp && op->to == sp;
		return true;
	case OP_SWAP:
	case OP_ENTRY:
		return op->to != sp && op->from != sp;
	}
	return false;
}

static bool follow_ops(struct ahead *ahead, const struct machine_instruction *instruction)
{
	if (instruction->clobbers >> ahead->arch->sp & 1)
		return false;
	for (unsigned i = 0; i < instruction->n_ops; i++)
		if (!follow_op(ahead, &instruction->ops[i]))
			return false;
	return true;
}

/* Decodes the instruction at @pc. false: its bytes are not known, or are not an instruction. */
static bool decode(const struct runtime_place *place, uint64_t pc,
		   struct machine_instruction *instruction)
{
	uint8_t bytes[INSTRUCTION_MAX];
	struct code_view view;

	place->source->find(place->source, pc, &view);
	/* The last instruction that is known may have less after it. */
	for (size_t size = INSTRUCTION_MAX; size; size--)
		if (view.n_pages && code_view_read(&view, pc, bytes, size))
			return place->process->arch->decode(bytes, size, instruction) &&
			       instruction->size;
	return false;
}

/* To where the frame is complete. */
static bool follow_prologue(const struct runtime_place *place, uint64_t pc, uint64_t end,
			    struct ahead *ahead)
{
	struct machine_instruction instruction;

	for (unsigned n = 0; pc < end; n++, pc += instruction.size) {
		if (n == PROLOGUE_MAX || !decode(place, pc, &instruction))
			return false;
		bool goes_on = instruction.flow == FLOW_NEXT || instruction.flow == FLOW_BRANCH;
		if ((!goes_on && instruction.flow != FLOW_CALL) ||
		    (goes_on && !follow_ops(ahead, &instruction)))
			return false;
	}
	return pc == end;
}

/* To the return, if the frame is about to be removed, or is removed already. */
static bool follow_epilogue(const struct runtime_place *place, uint64_t pc,
			    const struct runtime_code *code, struct ahead *ahead)
{
	struct machine_instruction instruction;

	for (unsigned n = 0; n < EPILOGUE_MAX; n++, pc += instruction.size) {
		if (!decode(place, pc, &instruction))
			return false;
		/* Its ops remove the return address. */
		if (instruction.flow == FLOW_RETURN)
			return true;
		uint64_t target = pc + (uint64_t)instruction.target;
		if (instruction.flow == FLOW_JUMP)
			return ahead->loads_fp && (target < code->start || target >= code->end);
		if ((instruction.flow != FLOW_NEXT && instruction.flow != FLOW_BRANCH) ||
		    !follow_ops(ahead, &instruction))
			return false;
	}
	return false;
}

static bool may_return_to(const struct runtime_place *place, uint64_t addr)
{
	const struct runtime_code *code = runtime_codes_find(place->codes, addr - 1);

	return code ? code->frame != RUNTIME_FRAME_METHOD
		    : guess_is_return_address(place->process, addr);
}

/* The caller whose return address is in the word at @slot. Its other saved registers are lost. */
static bool set_caller(const struct runtime_place *place, uint64_t slot, uint64_t sp, uint64_t fp,
		       struct regs *regs)
{
	const struct arch *arch = place->process->arch;
	uint64_t pc;

	if (!stack_read(place->stack, slot, &pc) || !may_return_to(place, pc))
		return false;
	regs->valid = 0;
	regs->pc = pc;
	regs_set(regs, arch->ra, pc);
	regs_set(regs, arch->sp, sp);
	regs_set(regs, arch->fp, fp);
	return true;
}

static bool leave_complete(const struct runtime_place *place, uint64_t sp, uint32_t frame_size,
			   struct regs *regs)
{
	const uint64_t cfa = sp + frame_size;
	uint64_t fp;

	return stack_read(place->stack, slot_of(place, cfa, -2), &fp) &&
	       set_caller(place, slot_of(place, cfa, -1), cfa, fp, regs);
}

/* From an instruction before the frame is complete. */
static bool leave_prologue(const struct runtime_place *place, const struct runtime_code *code,
			   struct regs *regs)
{
	const struct arch *arch = place->process->arch;
	struct ahead ahead = { .arch = arch };

	if (!regs_have(regs, arch->fp) ||
	    !follow_prologue(place, regs->pc, code->start + code->complete, &ahead))
		return false;
	const uint64_t sp = regs->values[arch->sp] + (uint64_t)ahead.sp;
	const uint64_t cfa = sp + code->frame_size;
	if (ahead.saves_fp)
		return set_caller(place, slot_of(place, cfa, -1), cfa, regs->values[arch->fp],
				  regs);
	return leave_complete(place, sp, code->frame_size, regs);
}

static bool leave_epilogue(const struct runtime_place *place, const struct runtime_code *code,
			   struct regs *regs)
{
	const struct arch *arch = place->process->arch;
	const uint64_t sp = regs->values[arch->sp];
	struct ahead ahead = { .arch = arch };
	uint64_t fp = regs->values[arch->fp];

	if (!regs_have(regs, arch->fp) || !follow_epilogue(place, regs->pc, code, &ahead))
		return false;
	if (ahead.loads_fp && !stack_read(place->stack, sp + (uint64_t)ahead.fp_slot, &fp))
		return false;
	const uint64_t slot = sp + (uint64_t)ahead.sp;
	return set_caller(place, slot, slot_of(place, slot, 1), fp, regs);
}

/* A sampled instruction went on to another one; what stops there is CODE_VIEW_NO_INSTRUCTION. */
static bool is_known(const struct runtime_place *place, uint64_t pc)
{
	struct machine_instruction instruction;

	return decode(place, pc, &instruction) && instruction.flow != FLOW_STOP;
}

/*
 * From an instruction after the frame is complete, which may be between a push and its pop. One
 * that is not known may also be one after the frame was removed, where the words that are skipped
 * would be a whole frame.
 */
static bool leave_body(const struct runtime_place *place, const struct runtime_code *code,
		       struct regs *regs)
{
	const uint64_t sp = regs->values[place->process->arch->sp];
	const int n_pushed_max = is_known(place, regs->pc) ? PUSHED_MAX : 0;

	for (int n = 0; n <= n_pushed_max; n++)
		if (leave_complete(place, slot_of(place, sp, n), code->frame_size, regs))
			return true;
	return false;
}

static bool leave_sized(const struct runtime_place *place, const struct runtime_code *code,
			struct regs *regs)
{
	const uint64_t sp = regs->values[place->process->arch->sp];

	if (!place->is_exact)
		return leave_complete(place, sp, code->frame_size, regs);
	if (code->complete == RUNTIME_CODE_NEVER_COMPLETE || !place->source)
		return false;
	if (regs->pc < code->start + code->complete)
		return leave_prologue(place, code, regs);
	return leave_epilogue(place, code, regs) || leave_body(place, code, regs);
}

/* A frame pointer that leads up the stack. */
static bool has_frame(const struct runtime_place *place, const struct regs *regs, uint64_t *fp_ret)
{
	const struct arch *arch = place->process->arch;

	*fp_ret = regs->values[arch->fp];
	return regs_have(regs, arch->fp) && *fp_ret >= regs->values[arch->sp] &&
	       *fp_ret % arch->pointer_size == 0;
}

static bool leave_interpreted(const struct runtime_place *place, struct regs *regs)
{
	uint64_t fp, caller_fp, sender_sp;

	if (!has_frame(place, regs, &fp) || !stack_read(place->stack, fp, &caller_fp) ||
	    !stack_read(place->stack, slot_of(place, fp, SENDER_SP), &sender_sp))
		return false;
	bool is_sound = sender_sp >= slot_of(place, fp, 2) &&
			sender_sp % place->process->arch->pointer_size == 0 &&
			sender_sp - fp < STACK_SIZE_MAX;
	return is_sound && set_caller(place, slot_of(place, fp, 1), sender_sp, caller_fp, regs);
}

/* Stubs that go on to other code instead of returning have no frame. */
static bool follow_stub(const struct runtime_place *place, uint64_t pc,
			const struct runtime_code *code, struct ahead *ahead)
{
	struct machine_instruction instruction;

	for (unsigned n = 0; n < STUB_MAX; n++, pc += instruction.size) {
		if (!decode(place, pc, &instruction))
			return false;
		const uint64_t target = pc + (uint64_t)instruction.target;
		if (instruction.flow == FLOW_JUMP)
			return target < code->start || target >= code->end;
		if (instruction.flow == FLOW_INDIRECT || instruction.flow == FLOW_TAIL_CALL)
			return true;
		if ((instruction.flow != FLOW_NEXT && instruction.flow != FLOW_BRANCH) ||
		    !follow_ops(ahead, &instruction) || ahead->loads_fp)
			return false;
	}
	return false;
}

/* Whether the instructions from the begin of the code to @pc leave the stack as it is. */
static bool is_at_entry(const struct runtime_place *place, uint64_t pc,
			const struct runtime_code *code)
{
	struct machine_instruction instruction;
	struct ahead ahead = { .arch = place->process->arch };
	uint64_t at = code->start;

	for (unsigned n = 0; at < pc && n < ENTRY_MAX; n++, at += instruction.size)
		if (!decode(place, at, &instruction) || instruction.flow != FLOW_NEXT ||
		    !follow_ops(&ahead, &instruction) || ahead.sp)
			return false;
	return at == pc;
}

static bool leave_sampled_stub(const struct runtime_place *place, const struct runtime_code *code,
			       struct regs *regs)
{
	const struct arch *arch = place->process->arch;
	struct ahead ahead = { .arch = arch };

	if (!place->source || !regs_have(regs, arch->fp))
		return false;
	if (is_at_entry(place, regs->pc, code))
		ahead.sp = 0;
	else if (!follow_stub(place, regs->pc, code, &ahead))
		return false;
	const uint64_t slot = regs->values[arch->sp] + (uint64_t)ahead.sp;
	return set_caller(place, slot, slot_of(place, slot, 1), regs->values[arch->fp], regs);
}

static bool leave_stub(const struct runtime_place *place, const struct runtime_code *code,
		       struct regs *regs)
{
	uint64_t fp, caller_fp;

	if (place->is_exact)
		return leave_sampled_stub(place, code, regs);
	return has_frame(place, regs, &fp) && stack_read(place->stack, fp, &caller_fp) &&
	       set_caller(place, slot_of(place, fp, 1), slot_of(place, fp, 2), caller_fp, regs);
}

bool runtime_frame_offset(const struct runtime_place *place, const struct regs *regs,
			  uint64_t *offset_ret)
{
	const struct runtime_code *code = runtime_codes_find(place->codes, place->addr);
	const struct runtime_code *method = NULL;
	uint64_t fp, addr;

	if (!code || code->frame == RUNTIME_FRAME_METHOD)
		return false;
	if (code->frame == RUNTIME_FRAME_INTERPRETED && has_frame(place, regs, &fp) &&
	    stack_read(place->stack, slot_of(place, fp, METHOD), &addr))
		method = runtime_codes_find(place->codes, addr);
	bool is_method = method && method->frame == RUNTIME_FRAME_METHOD;
	*offset_ret = is_method ? method->offset : code->offset + (place->addr - code->start);
	return true;
}

bool runtime_frame_caller(const struct runtime_place *place, struct regs *regs)
{
	const struct runtime_code *code = runtime_codes_find(place->codes, place->addr);

	if (!code || !place->process->arch->decode)
		return false;
	switch ((enum runtime_frame)code->frame) {
	case RUNTIME_FRAME_SIZED:
		return leave_sized(place, code, regs);
	case RUNTIME_FRAME_INTERPRETED:
		return leave_interpreted(place, regs);
	case RUNTIME_FRAME_STUB:
		return leave_stub(place, code, regs);
	case RUNTIME_FRAME_METHOD:
		return false;
	}
	return false;
}
