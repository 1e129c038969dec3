#include "unwind/arch/eh_return_i386.h"

#include <string.h>

#include "unwind/arch/eh_return_x86.h"
#include "unwind/rules/made_rule.h"

enum { ECX = 1, EBX = 3, ESP, EBP, ESI, EDI, EIP };

#define OWN_CFA       8
#define CONTEXT_TO_RA 0x4c

#define CALL_SIZE   5
#define TAIL_MAX    224u /* bytes from the landing pad's load to `lea` */
#define RESTORE_MAX 64u  /* from `lea` to `mov %ecx,%esp` */

/* As the slots of a compact rule have them. */
#define N_SAVED 5
static const uint8_t saved_regs[N_SAVED] = { EBX, EBP, ESI, EDI, EIP };
static const struct eh_return_words own_words = {
	.sp = ESP,
	.counter = ECX,
	.ip = EIP,
	.word = 4,
	.pop = 2,
	.saved = saved_regs,
	.n_saved = N_SAVED,
};

static const uint8_t lea_bytes[] = { 0x8d, 0x4c, 0x0d, 0x04 };
static const uint8_t leave_bytes[] = { 0x89, 0xcc, 0x59, 0xff, 0xe1 };

static const uint8_t *find(const uint8_t *code, size_t start, size_t end, const uint8_t *bytes,
			   size_t n)
{
	return start < end ? memmem(code + start, end - start, bytes, n) : NULL;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* What the ModRM byte @modrm and what follows it add to %ebp; @reg: its middle bits, or -1: any.
 * false: it is another operand. */
static bool read_operand(const uint8_t *modrm, size_t size, int reg, int32_t *ret)
{
	if (size < 1 + sizeof(*ret) || (reg >= 0 && (modrm[0] >> 3 & 7) != reg))
		return false;
	if ((modrm[0] & 0xc7) == 0x45) {
		*ret = (int32_t)(modrm[1] ^ 0x80) - 0x80; /* its sign is extended */
		return true;
	}
	memcpy(ret, modrm + 1, sizeof(*ret));
	return (modrm[0] & 0xc7) == 0x85;
}

/* `push @offset(%ebp)` */
static bool has_push(const uint8_t *code, size_t start, size_t end, int32_t offset)
{
	const int push = 6;
	int32_t pushed;

	for (size_t at = start; at < end; at++)
		if (code[at] == 0xff && read_operand(code + at + 1, end - at - 1, push, &pushed) &&
		    pushed == offset)
			return true;
	return false;
}

/* Such an end in the code. */
struct eh_return {
	size_t load;  /* after the call of uw_install_context_1() */
	size_t leave; /* `mov %ecx,%esp` */
	int32_t ra;   /* %ebp + @ra: the landing pad */
};

static bool find_load(const uint8_t *code, size_t lea, struct eh_return *ret)
{
	int32_t ra;

	for (size_t back = 1; back <= TAIL_MAX && back + CALL_SIZE <= lea; back++) {
		const size_t load = lea - back;

		if (code[load - CALL_SIZE] == 0xe8 && code[load] == 0x8b &&
		    read_operand(code + load + 1, back - 1, -1, &ra) && ra < 0 && ra > INT16_MIN &&
		    has_push(code, load, lea, ra - 4)) {
			ret->load = load;
			ret->ra = ra;
			return true;
		}
	}
	return false;
}

/* Finds the end of a function that the byte @at belongs to; of the call before it, the last. */
static bool find_eh_return(const uint8_t *code, size_t size, size_t at, const struct rule *cfi,
			   struct eh_return *ret)
{
	const size_t from = at > RESTORE_MAX ? at - RESTORE_MAX : 0;

	if (cfi->kind != RULE_CFA_REGISTER || cfi->cfa_reg != EBP || cfi->cfa_offset != OWN_CFA / 4)
		return false;
	const uint8_t *lea_at =
		find(code, from, least(size, at + 1 + TAIL_MAX), lea_bytes, sizeof(lea_bytes));
	if (!lea_at)
		return false;
	const size_t lea = (size_t)(lea_at - code);
	const uint8_t *leave_at =
		find(code, lea, least(size, lea + RESTORE_MAX), leave_bytes, sizeof(leave_bytes));
	if (!leave_at || !find_load(code, lea, ret))
		return false;
	ret->leave = (size_t)(leave_at - code);
	return at + 1 >= ret->load && at < ret->leave;
}

void i386_correct_rule(const uint8_t *code, size_t size, size_t at, struct rule *rule)
{
	struct eh_return found;

	if (find_eh_return(code, size, at, rule, &found) && at + 1 != found.load)
		*rule = (struct rule){ .kind = RULE_BAD };
}

/* `mov 0(%ebp),%ebp; mov %ecx,%esp; pop %ecx; jmp *%ecx`: how far @at is into the last three. */
static bool is_leaving(const uint8_t *code, size_t size, size_t at, size_t *into_ret)
{
	static const uint8_t bytes[] = { 0x8b, 0x6d, 0, 0x89, 0xcc, 0x59, 0xff, 0xe1 };
	static const size_t into[] = { 0, 2, 3 };
	const size_t mov = 3;

	for (size_t i = 0; i < sizeof(into) / sizeof(into[0]); i++) {
		*into_ret = into[i];
		if (at >= mov + into[i] && at - mov - into[i] <= size &&
		    size - (at - mov - into[i]) >= sizeof(bytes) &&
		    !memcmp(code + at - mov - into[i], bytes, sizeof(bytes)))
			return true;
	}
	return false;
}

static void make_installing(struct made_rule *made, const struct eh_return *found,
			    const struct rule *cfi)
{
	x86_push_sum(made, EBP, OWN_CFA);
	made->rule.cfa = made_rule_since(made, 0);
	for (size_t i = 0; i < N_SAVED; i++) {
		const int64_t slot = OWN_CFA - 4 * (int64_t)cfi->slots[i];

		if (cfi->slots[i] == SLOT_SAME)
			made->rule.regs[saved_regs[i]].how = SAVED_SAME;
		else
			x86_save_if_kept(made, saved_regs[i], EBP, slot,
					 found->ra - CONTEXT_TO_RA + 4 * (int64_t)saved_regs[i]);
	}
}

struct made_rule *i386_make_rule(const uint8_t *code, size_t size, size_t at,
				 const struct rule *cfi)
{
	struct eh_return found;
	size_t into;
	const bool leaves = is_leaving(code, size, at, &into);

	if (!leaves && !(find_eh_return(code, size, at, cfi, &found) && at + 1 == found.load))
		return NULL;
	struct made_rule *made = made_rule_create();
	if (!made)
		return NULL;
	if (leaves)
		x86_make_leaving(made, &own_words, into);
	else
		make_installing(made, &found, cfi);
	return made;
}
