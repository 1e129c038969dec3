#include "perf/kinds/probe_argument.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 99

static const char not_here[] = "belongs to a program for another kind of processor than x86-64 and "
			       "arm64";
static const char not_expressed[] =
	"lies where the kernel can't fetch it: it takes registers, constants, and memory at a "
	"register and a distance";
static const char is_floating[] =
	"is in a register of floating-point numbers, which the kernel can't fetch";
static const char no_text[] = "does not point to a text";

bool probe_argument_parse(const char *text, struct probe_argument *ret)
{
	unsigned number;
	int length = 0;

	if (sscanf(text, "arg%2u%n", &number, &length) == 1 && length && !text[length]) {
		*ret = (struct probe_argument){ .number = number };
		return number;
	}
	length = 0;
	if (sscanf(text, "str(arg%2u)%n", &number, &length) != 1 || !length || text[length])
		return false;
	*ret = (struct probe_argument){ .number = number, .is_string = true };
	return number;
}

const char *probe_argument_type(bool is_signed, unsigned size)
{
	switch (size) {
	case 1:
		return is_signed ? "s8" : "u8";
	case 2:
		return is_signed ? "s16" : "u16";
	case 4:
		return is_signed ? "s32" : "u32";
	default:
		return is_signed ? "s64" : "u64";
	}
}

/* Of x86-64, by DWARF number, as the kernel names them (arch/x86/kernel/ptrace.c). */
static const char *const x86_registers[] = { "ax", "dx", "cx",  "bx",  "si",  "di",  "bp",  "sp",
					     "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };
static const char *const arm64_registers[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",
};

const char *probe_argument_register(uint16_t machine, unsigned number)
{
	if (machine == EM_X86_64 && number < sizeof(x86_registers) / sizeof(x86_registers[0]))
		return x86_registers[number];
	if (machine == EM_AARCH64 && number < sizeof(arm64_registers) / sizeof(arm64_registers[0]))
		return arm64_registers[number];
	return NULL;
}

/* Makes the value of "%di" or "+8(%sp)" a number, or the text that it points to. */
static void fetch_place(const char *place, bool is_string, bool is_signed, unsigned size,
			struct event_fetch *fetch)
{
	*fetch = (struct event_fetch){
		.kind = is_string   ? EVENT_VALUE_STRING
			: is_signed ? EVENT_VALUE_SIGNED
				    : EVENT_VALUE_UNSIGNED,
		.size = (uint8_t)(is_string ? 4 : size),
	};
	if (is_string)
		snprintf(fetch->argument, sizeof(fetch->argument), "+0(%s):string", place);
	else
		snprintf(fetch->argument, sizeof(fetch->argument), "%s:%s", place,
			 probe_argument_type(is_signed, size));
	/* A program's own stack and its registers can always be read. */
	if (!is_string && strchr("+-", place[0]) && !strstr(place, "(%sp)"))
		snprintf(fetch->check, sizeof(fetch->check), "%s:string", place);
}

const char *probe_argument_of_call(const struct probe_argument *argument, uint16_t machine,
				   struct event_fetch *fetch_ret)
{
	static const uint8_t x86[] = { 5, 4, 1, 2, 8, 9 };
	const unsigned n_registers = machine == EM_X86_64 ? sizeof(x86) : 8;
	char place[32];

	if (machine != EM_X86_64 && machine != EM_AARCH64)
		return not_here;
	if (argument->number <= n_registers) {
		const unsigned number = argument->number - 1;

		snprintf(place, sizeof(place), "%%%s",
			 probe_argument_register(machine,
						 machine == EM_X86_64 ? x86[number] : number));
	} else {
		/* Above the return address, which arm64 has in a register. */
		snprintf(place, sizeof(place), "+%u(%%sp)",
			 8 * (argument->number - n_registers - (machine != EM_X86_64)));
	}
	fetch_place(place, argument->is_string, false, 8, fetch_ret);
	return NULL;
}

/* One operand of a probe's note, between its size and the next blank. */
struct operand {
	const char *at, *end;
};

static bool take(struct operand *operand, const char *text)
{
	const size_t length = strlen(text);

	if ((size_t)(operand->end - operand->at) < length || memcmp(operand->at, text, length) != 0)
		return false;
	operand->at += length;
	return true;
}

/* A decimal or hexadecimal number, which the assembler may have written as a sum. */
static bool take_number(struct operand *operand, int64_t *ret)
{
	char text[32], *end;
	size_t length = 0;

	while (operand->at + length < operand->end && length < sizeof(text) - 1 &&
	       strchr("0123456789abcdefABCDEFxX", operand->at[length]))
		length++;
	const bool is_negative = !length && (operand->at < operand->end && *operand->at == '-');
	if (is_negative) {
		operand->at++;
		return take_number(operand, ret) && !__builtin_sub_overflow(0, *ret, ret);
	}
	memcpy(text, operand->at, length);
	text[length] = '\0';
	const uint64_t number = strtoull(text, &end, 0);
	if (!length || *end)
		return false;
	operand->at += length;
	*ret = (int64_t)number;
	return true;
}

/* "rdi", "edi", "di", "dil", "r8d": the name that the kernel has for the whole register, in whose
 * low bits the part lies. NULL: another one, among them %ah and those of vectors. */
static const char *x86_register(const char *name, size_t length)
{
	static const struct {
		const char *name;
		uint8_t number;
	} bytes[] = { { "al", 0 },  { "dl", 1 },  { "cl", 2 },  { "bl", 3 },
		      { "sil", 4 }, { "dil", 5 }, { "bpl", 6 }, { "spl", 7 } };

	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		if (strlen(bytes[i].name) == length && memcmp(bytes[i].name, name, length) == 0)
			return x86_registers[bytes[i].number];
	const bool is_numbered = length > 1 && name[0] == 'r' && name[1] >= '0' && name[1] <= '9';
	if (is_numbered && strchr("bwd", name[length - 1]))
		length--;
	else if (!is_numbered && length == 3 && (name[0] == 'r' || name[0] == 'e')) {
		name++;
		length--;
	}
	for (size_t i = 0; i < sizeof(x86_registers) / sizeof(x86_registers[0]); i++)
		if (strlen(x86_registers[i]) == length &&
		    memcmp(x86_registers[i], name, length) == 0)
			return x86_registers[i];
	return NULL;
}

static const char *take_x86_register(struct operand *operand)
{
	size_t length = 0;

	if (!take(operand, "%"))
		return NULL;
	while (operand->at + length < operand->end &&
	       strchr("abcdefghijklmnopqrstuvwxyz0123456789", operand->at[length]))
		length++;
	const char *found = x86_register(operand->at, length);
	operand->at += length;
	return found;
}

/* "%edi", "$5", "-8(%rbp)". @place: what the kernel fetches. */
static bool read_x86_operand(struct operand *operand, char *place, size_t size)
{
	int64_t number = 0;
	const char *base;

	if (take(operand, "$")) {
		if (!take_number(operand, &number) || operand->at != operand->end)
			return false;
		snprintf(place, size, "\\%" PRId64, number);
		return true;
	}
	if (*operand->at == '%') {
		base = take_x86_register(operand);
		if (!base || operand->at != operand->end)
			return false;
		snprintf(place, size, "%%%s", base);
		return true;
	}
	if (*operand->at != '(' && !take_number(operand, &number))
		return false;
	if (!take(operand, "("))
		return false;
	base = take_x86_register(operand);
	if (!base || !take(operand, ")") || operand->at != operand->end)
		return false;
	snprintf(place, size, "%+" PRId64 "(%%%s)", number, base);
	return true;
}

static const char *take_arm64_register(struct operand *operand)
{
	static const char letters[] = "xw";
	const char *name = operand->at;
	size_t length = 0;

	while (name + length < operand->end &&
	       strchr("abcdefghijklmnopqrstuvwxyz0123456789", name[length]))
		length++;
	operand->at += length;
	const size_t n = sizeof(arm64_registers) / sizeof(arm64_registers[0]);
	for (size_t i = 0; i < n; i++) {
		const char *known = arm64_registers[i];

		if (strlen(known) == length && memcmp(known + 1, name + 1, length - 1) == 0 &&
		    (i == n - 1 ? name[0] == 's' : !!strchr(letters, name[0])))
			return known;
	}
	return NULL;
}

/* "x0", "5", "[x0]", "[sp, 16]". */
static bool read_arm64_operand(struct operand *operand, char *place, size_t size)
{
	int64_t number = 0;
	const char *base;

	if (take(operand, "[")) {
		base = take_arm64_register(operand);
		if (take(operand, ",")) {
			take(operand, " ");
			take(operand, "#");
			if (!take_number(operand, &number))
				return false;
		}
		if (!base || !take(operand, "]") || operand->at != operand->end)
			return false;
		snprintf(place, size, "%+" PRId64 "(%%%s)", number, base);
		return true;
	}
	if (strchr("-0123456789", *operand->at)) {
		if (!take_number(operand, &number) || operand->at != operand->end)
			return false;
		snprintf(place, size, "\\%" PRId64, number);
		return true;
	}
	base = take_arm64_register(operand);
	if (!base || operand->at != operand->end)
		return false;
	snprintf(place, size, "%%%s", base);
	return true;
}

/* The end of a word; what is in brackets may have blanks. */
static const char *word_end(const char *text)
{
	bool is_open = false;

	for (; *text && (is_open || *text != ' '); text++)
		is_open = (is_open || *text == '[') && *text != ']';
	return text;
}

static bool find_word(const char *arguments, unsigned number, struct operand *ret)
{
	while (*arguments) {
		const char *end = word_end(arguments);

		if (end > arguments && !--number) {
			*ret = (struct operand){ arguments, end };
			return true;
		}
		arguments = end + (*end == ' ');
	}
	return false;
}

/* "-4@". Without it, it has the size of an address. false: another size. */
static bool take_size(struct operand *operand, bool *is_signed_ret, unsigned *size_ret,
		      bool *is_float_ret)
{
	*is_signed_ret = *is_float_ret = false;
	*size_ret = 8;
	if (!memchr(operand->at, '@', (size_t)(operand->end - operand->at)))
		return true;
	*is_signed_ret = take(operand, "-");
	if (operand->at == operand->end || !strchr("1248", *operand->at))
		return false;
	*size_ret = (unsigned)(*operand->at++ - '0');
	*is_float_ret = take(operand, "f");
	return take(operand, "@") && operand->at < operand->end;
}

const char *probe_argument_of_note(const struct probe_argument *argument, uint16_t machine,
				   const char *arguments, struct event_fetch *fetch_ret)
{
	struct operand operand;
	bool is_signed, is_float, is_read;
	unsigned size;
	char place[64];

	if (machine != EM_X86_64 && machine != EM_AARCH64)
		return not_here;
	if (!find_word(arguments, argument->number, &operand))
		return "does not exist: the probe has fewer arguments";
	if (!take_size(&operand, &is_signed, &size, &is_float))
		return not_expressed;
	if (is_float)
		return is_floating;
	is_read = machine == EM_X86_64 ? read_x86_operand(&operand, place, sizeof(place))
				       : read_arm64_operand(&operand, place, sizeof(place));
	if (!is_read)
		return not_expressed;
	if (argument->is_string && (size != 8 || place[0] == '\\'))
		return no_text;
	fetch_place(place, argument->is_string, is_signed, size, fetch_ret);
	return NULL;
}
