#include "report/values/value_text.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cct/base/printable.h"
#include "report/dwarf/debug_number.h"
#include "report/values/value_types.h"
#include "report/values/value_variants.h"

#define MAX_DEPTH    4   /* of structs in each other */
#define MAX_TYPES    512 /* of one value: parts that are not known take no room in its text */
#define MAX_MEMBERS  16
#define MAX_ELEMENTS 8

/* Where in the object a part of it is. */
struct part {
	uint64_t bit;
	unsigned depth;
};

static enum debug_reason write_type(struct value_text *value, const struct value_object *object,
				    Dwarf_Die *type, struct part part);

__attribute__((format(printf, 2, 3))) static void put(struct value_text *value, const char *format,
						      ...)
{
	size_t room = sizeof(value->text) - value->n;
	va_list args;

	va_start(args, format);
	int n = vsnprintf(value->text + value->n, room, format, args);
	va_end(args);
	if (n < 0)
		return;
	if ((size_t)n < room) {
		value->n += (size_t)n;
		return;
	}
	value->n = sizeof(value->text) - 1;
	memcpy(value->text + value->n - 3, "...", 3);
}

static bool is_full(const struct value_text *value)
{
	return value->n == sizeof(value->text) - 1;
}

/* Reads up to 8 bytes as a number. */
static enum debug_reason read_word(const struct value_object *object, uint64_t bit, uint64_t n_bits,
				   uint64_t *word_ret)
{
	uint8_t bytes[8] = { 0 };

	if (!n_bits || n_bits > 64)
		return DEBUG_NOT_SUPPORTED;
	enum debug_reason reason =
		debug_location_read(object->location, object->frame, bit, n_bits, bytes);
	memcpy(word_ret, bytes, sizeof(bytes));
	return reason;
}

static const char *skip_address(const char *text)
{
	return strncmp(text, "0x", 2) == 0 ? text + 2 + strspn(text + 2, "0123456789abcdef") : text;
}

const char *value_text_without_address(const struct value_text *value)
{
	const char *text = value->text, *after;

	if (*text == '@') {
		after = skip_address(text + 1);
		text = strncmp(after, ": ", 2) == 0 ? after + 2 : text;
	}
	after = skip_address(text);
	return after > text && after[0] == ' ' && (after[1] == '"' || after[1] == '<') ? after + 1
										       : text;
}

size_t value_text_escape(char *text, uint8_t byte)
{
	if (byte == '"' || byte == '\\')
		return (size_t)sprintf(text, "\\%c", byte);
	if (byte >= ' ' && byte < 0x7f)
		return (size_t)sprintf(text, "%c", byte);
	return (size_t)sprintf(text, "\\%03o", byte);
}

static void put_character(struct value_text *value, uint8_t byte)
{
	char text[5];

	value_text_escape(text, byte);
	put(value, "%s", text);
}

static void begin_string(struct value_text *value)
{
	put(value, "\"");
	value->string_at = value->n;
}

static void end_string(struct value_text *value, enum value_string string)
{
	value->string = string;
	value->n_string = value->n - value->string_at;
	put(value, string == STRING_WHOLE ? "\"" : "\"...");
	if (!is_full(value))
		return;
	/* The last bytes may not be the string's. */
	const size_t n = value->n - 3 > value->string_at ? value->n - 3 - value->string_at : 0;
	value->string = STRING_UNREAD;
	value->n_string = value->n_string < n ? value->n_string : n;
}

static void set_word(struct value_text *value, bool has_sign, uint64_t word)
{
	value->scalar = has_sign ? SCALAR_SIGNED : SCALAR_UNSIGNED;
	value->word = word;
}

/* It has parts. */
static void be_no_scalar(struct value_text *value)
{
	value->is_number = false;
	value->scalar = SCALAR_NONE;
	value->string = STRING_NONE;
}

static void put_integer(struct value_text *value, bool has_sign, uint64_t word)
{
	set_word(value, has_sign, word);
	if (has_sign)
		put(value, "%" PRId64, (int64_t)word);
	else
		put(value, "%" PRIu64, word);
	value->is_number = true;
	value->number = has_sign ? (double)(int64_t)word : (double)word;
}

static uint64_t extend(uint64_t word, uint64_t n_bits)
{
	return n_bits < 64 ? (uint64_t)((int64_t)(word << (64 - n_bits)) >> (64 - n_bits)) : word;
}

/* A character outside of ASCII, " 'é'", if it can be shown. */
static void put_code(struct value_text *value, uint64_t code)
{
	if (code < 0x80 || code > 0x10ffff || printable_is_hostile((uint32_t)code))
		return;
	if (code < 0x800)
		put(value, " '%c%c'", (int)(0xc0 | code >> 6), (int)(0x80 | (code & 63)));
	else if (code < 0x10000)
		put(value, " '%c%c%c'", (int)(0xe0 | code >> 12), (int)(0x80 | (code >> 6 & 63)),
		    (int)(0x80 | (code & 63)));
	else
		put(value, " '%c%c%c%c'", (int)(0xf0 | code >> 18), (int)(0x80 | (code >> 12 & 63)),
		    (int)(0x80 | (code >> 6 & 63)), (int)(0x80 | (code & 63)));
}

static void put_base(struct value_text *value, uint64_t encoding, uint64_t word, uint64_t n_bits)
{
	struct debug_number number = { word, { (uint8_t)encoding, (uint8_t)(n_bits / 8) } };

	switch (encoding) {
	case DW_ATE_boolean:
		set_word(value, false, word);
		put(value, "%s", word ? "true" : "false");
		return;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		put_integer(value, encoding == DW_ATE_signed_char,
			    encoding == DW_ATE_signed_char ? extend(word, n_bits) : word);
		if (word >= ' ' && word < 0x7f)
			put(value, " '%c'", (char)word);
		else if (encoding == DW_ATE_UTF && n_bits > 8)
			put_code(value, word);
		return;
	case DW_ATE_signed:
		put_integer(value, true, extend(word, n_bits));
		return;
	case DW_ATE_unsigned:
		put_integer(value, false, word);
		return;
	default:
		break;
	}
	if (!debug_number_is_float(number.type)) {
		set_word(value, false, word);
		put(value, "0x%" PRIx64, word);
		return;
	}
	value->scalar = SCALAR_FLOAT;
	value->is_number = true;
	value->number = debug_number_float(number);
	put(value, "%.*g", n_bits == 32 ? 9 : 17, value->number);
}

/* @n_bits: of a bit-field; 0: the type's own. */
static enum debug_reason write_base(struct value_text *value, const struct value_object *object,
				    Dwarf_Die *type, uint64_t bit, uint64_t n_bits)
{
	uint64_t encoding = 0, word;

	if (!n_bits)
		n_bits = 8 * (uint64_t)(dwarf_bytesize(type) > 0 ? dwarf_bytesize(type) : 0);
	enum debug_reason reason = read_word(object, bit, n_bits, &word);
	if (reason)
		return reason;
	value_type_number(type, DW_AT_encoding, &encoding);
	put_base(value, encoding, word, n_bits);
	return DEBUG_KNOWN;
}

static enum debug_reason write_enumerator(struct value_text *value,
					  const struct value_object *object, Dwarf_Die *type,
					  uint64_t bit, uint64_t n_bits)
{
	unsigned n = 0;
	uint64_t word;
	Dwarf_Die die;

	if (!n_bits)
		n_bits = 8 * (uint64_t)(dwarf_bytesize(type) > 0 ? dwarf_bytesize(type) : 0);
	enum debug_reason reason = read_word(object, bit, n_bits, &word);
	if (reason)
		return reason;
	for (int err = dwarf_child(type, &die); err == 0 && n++ < VALUE_CHILDREN_MAX;
	     err = dwarf_siblingof(&die, &die)) {
		uint64_t number;

		if (value_type_enumerator(&die, &number) &&
		    extend(number, n_bits) == extend(word, n_bits)) {
			set_word(value, true, extend(word, n_bits));
			put(value, "%s", dwarf_diename(&die));
			return DEBUG_KNOWN;
		}
	}
	put_integer(value, true, extend(word, n_bits));
	return DEBUG_KNOWN;
}

/* The text at an address, as far as it is known. */
static void put_string(struct value_text *value, const struct value_object *object, uint64_t addr)
{
	const struct debug_process *process = object->frame->process;
	enum value_string string = STRING_WHOLE;
	uint8_t byte;

	value->string = STRING_UNREAD;
	value->n_string = 0;
	if (!process->read(process->data, addr, 1, &byte))
		return;
	put(value, " ");
	begin_string(value);
	for (unsigned i = 0; byte && string == STRING_WHOLE; i++) {
		put_character(value, byte);
		if (!process->read(process->data, addr + i + 1, 1, &byte))
			string = STRING_UNREAD;
		else if (byte && i + 1 == VALUE_STRING_MAX)
			string = STRING_LONGER;
	}
	end_string(value, string);
}

static void put_address(struct value_text *value, uint64_t addr, const char *name)
{
	set_word(value, false, addr);
	put(value, "0x%" PRIx64, addr);
	if (*name)
		put(value, " <%s>", name);
}

/* A pointer's target by name, where it has one. */
static void find_name(const struct value_object *object, uint64_t addr, bool is_function,
		      char *name, size_t size)
{
	if (is_function && object->name_function)
		object->name_function(object->data, addr, name, size);
	else if (!is_function && addr && object->name_data)
		object->name_data(object->data, addr, name, size);
}

static enum debug_reason write_pointer(struct value_text *value, const struct value_object *object,
				       Dwarf_Die *type, uint64_t bit)
{
	char name[VALUE_TEXT_MAX] = "";
	Dwarf_Die target;
	uint64_t addr;
	int size = dwarf_bytesize(type);
	enum debug_reason reason =
		read_word(object, bit, size > 0 ? 8 * (uint64_t)size : 64, &addr);

	if (reason)
		return reason;
	const bool has_target = value_type_of(type, &target) && value_type_plain(&target);
	const bool is_text = has_target && value_type_is_character(&target);
	find_name(object, addr, has_target && dwarf_tag(&target) == DW_TAG_subroutine_type, name,
		  sizeof(name));
	put_address(value, addr, is_text ? "" : name);
	const size_t n = value->n;
	if (is_text)
		put_string(value, object, addr);
	if (is_text && value->n == n && *name)
		put(value, " <%s>", name);
	return DEBUG_KNOWN;
}

/* What a reference leads to. */
static enum debug_reason write_reference(struct value_text *value,
					 const struct value_object *object, Dwarf_Die *type,
					 struct part part)
{
	struct debug_location location;
	struct value_object target = *object;
	Dwarf_Die die;
	uint64_t addr;
	enum debug_reason reason = read_word(object, part.bit, 64, &addr);

	if (reason)
		return reason;
	put(value, "@0x%" PRIx64, addr);
	debug_location_at(&location, addr);
	target.location = &location;
	if (!value_type_of(type, &die))
		return DEBUG_KNOWN;
	const size_t n = value->n;
	put(value, ": ");
	if (write_type(value, &target, &die, (struct part){ 0, part.depth + 1 }))
		value->text[value->n = n] = 0;
	value->is_number = false;
	return DEBUG_KNOWN;
}

/* @n_bits: of a bit-field, else 0. */
static enum debug_reason write_part(struct value_text *value, const struct value_object *object,
				    Dwarf_Die *type, struct part part, uint64_t n_bits)
{
	Dwarf_Die plain = *type;

	if (!n_bits)
		return write_type(value, object, type, part);
	if (value_type_plain(&plain) && dwarf_tag(&plain) == DW_TAG_base_type)
		return write_base(value, object, &plain, part.bit, n_bits);
	return dwarf_tag(&plain) == DW_TAG_enumeration_type
		       ? write_enumerator(value, object, &plain, part.bit, n_bits)
		       : DEBUG_NOT_SUPPORTED;
}

static enum debug_reason write_member(struct value_text *value, const struct value_object *object,
				      Dwarf_Die *member, struct part whole)
{
	struct part part = { 0, whole.depth + 1 };
	uint64_t n_bits;
	Dwarf_Die type;

	if (!value_type_of(member, &type) || !value_type_member_place(member, &part.bit, &n_bits))
		return DEBUG_NOT_SUPPORTED;
	part.bit += whole.bit;
	return write_part(value, object, &type, part, n_bits);
}

/* Types of texts that are structs, by the beginnings of their names; and where these have what. */
static const struct text_type {
	const char *name, *pointer, *inner_pointer, *length;
} text_types[] = {
	{ "basic_string<char,", "_M_dataplus", "_M_p", "_M_string_length" }, /* libstdc++ */
	{ "basic_string_view<char,", "_M_str", NULL, "_M_len" },
	{ "basic_string_view<char,", "__data", NULL, "__size" }, /* libc++ */
	{ "basic_string_view<char,", "__data_", NULL, "__size_" },
	{ "&str", "data_ptr", NULL, "length" }, /* rustc */
};

static enum debug_reason read_member(const struct value_object *object, Dwarf_Die *type,
				     const char *name, const char *inner_name, uint64_t bit,
				     uint64_t *word_ret)
{
	struct value_member member, inner;

	if (!value_type_find_member(type, name, &member))
		return DEBUG_NO_SUCH_PART;
	if (!inner_name)
		return read_word(object, bit + member.bit, 64, word_ret);
	return value_type_plain(&member.type) &&
			       value_type_find_member(&member.type, inner_name, &inner)
		       ? read_word(object, bit + member.bit + inner.bit, 64, word_ret)
		       : DEBUG_NO_SUCH_PART;
}

static void put_text(struct value_text *value, const struct value_object *object, uint64_t addr,
		     uint64_t length)
{
	const struct debug_process *process = object->frame->process;
	enum value_string string = STRING_WHOLE;
	uint8_t byte;

	value->string = STRING_UNREAD;
	value->n_string = 0;
	if (length && !process->read(process->data, addr, 1, &byte)) {
		put(value, "{length = %" PRIu64 ", <%s>}", length,
		    debug_reason_text(DEBUG_NO_MEMORY));
		return;
	}
	begin_string(value);
	for (uint64_t i = 0; i < length && string == STRING_WHOLE; i++) {
		if (i == VALUE_STRING_MAX)
			string = STRING_LONGER;
		else if (!process->read(process->data, addr + i, 1, &byte))
			string = STRING_UNREAD;
		else
			put_character(value, byte);
	}
	end_string(value, string);
}

/* A text that lies in its object: libc++'s have at most 22 bytes, so that the object has 24. */
#define INNER_TEXT_MAX 22

static bool put_inner_text(struct value_text *value, const struct value_object *object,
			   uint64_t bit, uint64_t length)
{
	uint64_t bytes[INNER_TEXT_MAX];

	if (length > INNER_TEXT_MAX)
		return false;
	for (uint64_t i = 0; i < length; i++)
		if (read_word(object, bit + 8 * i, 8, &bytes[i]))
			return false;
	begin_string(value);
	for (uint64_t i = 0; i < length; i++)
		put_character(value, (uint8_t)bytes[i]);
	end_string(value, STRING_WHOLE);
	return true;
}

/* Goes on to a member of a struct. */
static bool enter_member(struct value_member *at, const char *name)
{
	struct value_member inner;

	if (!value_type_plain(&at->type) || !value_type_find_member(&at->type, name, &inner))
		return false;
	inner.bit += at->bit;
	*at = inner;
	return true;
}

/*
 * libc++'s std::string: a long one, with a pointer, and a short one, with the text, share their
 * place. The lowest bit tells which it is, and the byte's higher bits how long a short one is.
 */
static bool write_union_string(struct value_text *value, const struct value_object *object,
			       Dwarf_Die *type, uint64_t bit)
{
	struct value_member both = { *type, bit, 0 }, text;
	uint64_t first, addr, length;

	/* "__rep_" from LLVM 19 on. */
	if (!enter_member(&both, "__rep_") &&
	    (!enter_member(&both, "__r_") || !enter_member(&both, "__value_")))
		return false;
	if (read_word(object, both.bit, 8, &first))
		return false;
	text = both;
	if (!enter_member(&text, first & 1 ? "__l" : "__s"))
		return false;
	struct value_member size = text;
	if (!enter_member(&text, "__data_") || !enter_member(&size, "__size_"))
		return false;
	if (!(first & 1))
		return put_inner_text(value, object, text.bit, first >> 1);
	if (read_word(object, text.bit, 64, &addr) || read_word(object, size.bit, 64, &length))
		return false;
	put_text(value, object, addr, length);
	return true;
}

/* false: it is no type of texts, or not all of its members are known. */
static bool write_text_type(struct value_text *value, const struct value_object *object,
			    Dwarf_Die *type, uint64_t bit)
{
	const char *name = dwarf_diename(type);
	uint64_t addr, length;

	for (size_t i = 0; name && i < sizeof(text_types) / sizeof(text_types[0]); i++) {
		const struct text_type *text = &text_types[i];

		if (strncmp(name, text->name, strlen(text->name)) != 0 ||
		    read_member(object, type, text->pointer, text->inner_pointer, bit, &addr) ||
		    read_member(object, type, text->length, NULL, bit, &length))
			continue;
		put_text(value, object, addr, length);
		return true;
	}
	return name && strncmp(name, "basic_string<char,", strlen("basic_string<char,")) == 0 &&
	       write_union_string(value, object, type, bit);
}

static enum debug_reason write_members(struct value_text *value, const struct value_object *object,
				       Dwarf_Die *type, struct part part)
{
	enum debug_reason result = DEBUG_NOT_SUPPORTED;
	const size_t before = value->n;
	const bool is_tuple = value_type_is_tuple(type);
	unsigned n = 0, n_known = 0, n_children = 0;
	Dwarf_Die die;

	put(value, is_tuple ? "(" : "{");
	for (int err = dwarf_child(type, &die);
	     err == 0 && !is_full(value) && n_children++ < VALUE_CHILDREN_MAX;
	     err = dwarf_siblingof(&die, &die)) {
		if (!value_type_is_member(&die))
			continue;
		if (n == MAX_MEMBERS) {
			put(value, ", ...");
			break;
		}
		const char *name = dwarf_diename(&die) ? dwarf_diename(&die) : "<base>";
		put(value, "%s%s%s", n++ ? ", " : "", is_tuple ? "" : name, is_tuple ? "" : " = ");
		enum debug_reason reason = write_member(value, object, &die, part);
		if (reason)
			put(value, "<%s>", debug_reason_text(reason));
		n_known += !reason;
		result = reason;
	}
	put(value, is_tuple ? ")" : "}");
	be_no_scalar(value);
	if (n_known || !n)
		return DEBUG_KNOWN;
	value->text[value->n = before] = 0;
	return result;
}

/* The member of the variant that an object is. */
static enum debug_reason find_variant(const struct value_object *object,
				      struct value_variants *variants, struct part part,
				      Dwarf_Die *member_ret)
{
	uint64_t discriminant = 0;
	enum debug_reason reason = variants->n_bits ? read_word(object, part.bit + variants->bit,
								variants->n_bits, &discriminant)
						    : DEBUG_KNOWN;

	if (reason)
		return reason;
	return value_variants_choose(variants, discriminant, member_ret) ? DEBUG_KNOWN
									 : DEBUG_MALFORMED;
}

/* "None", "Some(42)", "Circle {r = 1.5}" */
static enum debug_reason write_variant(struct value_text *value, const struct value_object *object,
				       struct value_variants *variants, struct part part)
{
	Dwarf_Die member, type, child;
	enum debug_reason reason = find_variant(object, variants, part, &member);

	if (reason)
		return reason;
	put(value, "%s", dwarf_diename(&member) ? dwarf_diename(&member) : "?");
	be_no_scalar(value);
	if (!value_type_of(&member, &type) || !value_type_plain(&type) ||
	    !value_type_has_members(&type) || !value_type_first_member(&type, &child))
		return DEBUG_KNOWN;
	put(value, "%s", value_type_is_tuple(&type) ? "" : " ");
	reason = write_member(value, object, &member, part);
	if (reason)
		put(value, "<%s>", debug_reason_text(reason));
	be_no_scalar(value);
	return DEBUG_KNOWN;
}

static enum debug_reason write_characters(struct value_text *value,
					  const struct value_object *object, uint64_t n,
					  uint64_t bit)
{
	enum value_string string = STRING_WHOLE;
	uint64_t byte;
	enum debug_reason reason = read_word(object, bit, 8, &byte);

	if (reason)
		return reason;
	begin_string(value);
	for (uint64_t i = 0; i < n && byte && string == STRING_WHOLE; bit += 8) {
		put_character(value, (uint8_t)byte);
		if (++i == n)
			break;
		if (read_word(object, bit + 8, 8, &byte))
			string = STRING_UNREAD;
		else if (byte && i == VALUE_STRING_MAX)
			string = STRING_LONGER;
	}
	end_string(value, string);
	return DEBUG_KNOWN;
}

static enum debug_reason write_elements(struct value_text *value, const struct value_object *object,
					Dwarf_Die *type, struct part part)
{
	const uint64_t n = value_type_count_elements(type);
	const size_t before = value->n;
	enum debug_reason reason = DEBUG_NOT_SUPPORTED;
	Dwarf_Die element, plain;
	Dwarf_Word size;
	unsigned n_known = 0;

	if (!n || !value_type_of(type, &element))
		return DEBUG_NOT_SUPPORTED;
	plain = element;
	if (value_type_is_character(&plain))
		return write_characters(value, object, n, part.bit);
	plain = element;
	if (!value_type_plain(&plain) || dwarf_aggregate_size(&plain, &size) != 0 ||
	    size > UINT32_MAX)
		return DEBUG_NOT_SUPPORTED;
	put(value, "{");
	for (uint64_t i = 0; i < n && i < MAX_ELEMENTS && !is_full(value); i++) {
		struct part at = { part.bit + 8 * size * i, part.depth + 1 };

		put(value, "%s", i ? ", " : "");
		reason = write_type(value, object, &element, at);
		if (reason)
			put(value, "<%s>", debug_reason_text(reason));
		n_known += !reason;
	}
	put(value, "%s}", n > MAX_ELEMENTS ? ", ..." : "");
	be_no_scalar(value);
	if (n_known)
		return DEBUG_KNOWN;
	value->text[value->n = before] = 0;
	return reason;
}

static enum debug_reason write_type(struct value_text *value, const struct value_object *object,
				    Dwarf_Die *type, struct part part)
{
	struct value_variants variants;
	Dwarf_Die plain = *type;

	if (!value_type_plain(&plain))
		return DEBUG_NOT_SUPPORTED;
	if (part.depth > MAX_DEPTH || ++value->n_types > MAX_TYPES) {
		put(value, "...");
		return DEBUG_KNOWN;
	}
	switch (dwarf_tag(&plain)) {
	case DW_TAG_base_type:
		return write_base(value, object, &plain, part.bit, 0);
	case DW_TAG_enumeration_type:
		return write_enumerator(value, object, &plain, part.bit, 0);
	case DW_TAG_pointer_type:
		return write_pointer(value, object, &plain, part.bit);
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return write_reference(value, object, &plain, part);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		if (write_text_type(value, object, &plain, part.bit))
			return DEBUG_KNOWN;
		return value_variants_of(&plain, &variants)
			       ? write_variant(value, object, &variants, part)
			       : write_members(value, object, &plain, part);
	case DW_TAG_array_type:
		return write_elements(value, object, &plain, part);
	default:
		return DEBUG_NOT_SUPPORTED;
	}
}

enum debug_reason value_text_write(struct value_text *value, const struct value_object *object,
				   Dwarf_Die *type, uint64_t bit, uint64_t n_bits)
{
	*value = (struct value_text){ .n = 0 };
	return write_part(value, object, type, (struct part){ bit, 0 }, n_bits);
}

void value_text_of_number(struct value_text *value, uint64_t encoding, uint64_t word,
			  uint64_t n_bits)
{
	*value = (struct value_text){ .n = 0 };
	put_base(value, encoding, word, n_bits);
}

void value_text_of_enumerator(struct value_text *value, uint64_t word, const char *name,
			      size_t size)
{
	*value = (struct value_text){ .n = 0 };
	set_word(value, true, word);
	put(value, "%.*s", (int)size, name);
}

void value_text_of_address(struct value_text *value, uint64_t addr, const char *name)
{
	*value = (struct value_text){ .n = 0 };
	put_address(value, addr, name);
}

void value_text_of_string(struct value_text *value, const uint8_t *bytes, size_t n, bool is_whole)
{
	*value = (struct value_text){ .n = 0 };
	begin_string(value);
	for (size_t i = 0; i < n && !is_full(value); i++)
		put_character(value, bytes[i]);
	end_string(value, is_whole ? STRING_WHOLE : STRING_LONGER);
}
