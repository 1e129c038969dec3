#include "report/dwarf/debug_pieces.h"

#include <string.h>

#define WORD 8

void debug_location_at(struct debug_location *location, uint64_t addr)
{
	location->pieces[0] = (struct debug_piece){ .kind = DEBUG_IN_MEMORY, .value = addr };
	location->n_pieces = 1;
}

bool debug_location_address(const struct debug_location *location, uint64_t *addr_ret)
{
	const struct debug_piece *piece = &location->pieces[0];

	if (location->n_pieces != 1 || piece->kind != DEBUG_IN_MEMORY || piece->n_bits)
		return false;
	*addr_ret = piece->value;
	return true;
}

static void copy_bits(uint8_t *to, uint64_t to_bit, const uint8_t *from, uint64_t from_bit,
		      uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t source = from_bit + i, target = to_bit + i;
		uint8_t bit = from[source / 8] >> source % 8 & 1;

		to[target / 8] = (uint8_t)((to[target / 8] & ~(1u << target % 8)) |
					   (unsigned)bit << target % 8);
	}
}

/* Bits of memory, in parts of some bytes. */
static enum debug_reason read_memory(const struct debug_frame *frame, uint64_t addr, uint64_t bit,
				     uint64_t n_bits, uint8_t *to, uint64_t to_bit)
{
	const struct debug_process *process = frame->process;
	uint8_t part[WORD + 1];

	if (bit % 8 == 0 && n_bits % 8 == 0 && to_bit % 8 == 0)
		return process->read(process->data, addr + bit / 8, n_bits / 8, to + to_bit / 8)
			       ? DEBUG_KNOWN
			       : DEBUG_NO_MEMORY;
	while (n_bits) {
		uint64_t n = n_bits < 64 ? n_bits : 64;

		if (!process->read(process->data, addr + bit / 8, (bit % 8 + n + 7) / 8, part))
			return DEBUG_NO_MEMORY;
		copy_bits(to, to_bit, part, bit % 8, n);
		bit += n;
		to_bit += n;
		n_bits -= n;
	}
	return DEBUG_KNOWN;
}

static enum debug_reason copy_known(const uint8_t *bytes, size_t n_bytes, uint64_t bit,
				    uint64_t n_bits, uint8_t *to, uint64_t to_bit)
{
	if (bit > 8 * (uint64_t)n_bytes || n_bits > 8 * (uint64_t)n_bytes - bit)
		return DEBUG_NOT_SUPPORTED;
	copy_bits(to, to_bit, bytes, bit, n_bits);
	return DEBUG_KNOWN;
}

/* Bits of a piece, from its bit @bit on. */
static enum debug_reason read_piece(const struct debug_piece *piece,
				    const struct debug_frame *frame, uint64_t bit, uint64_t n_bits,
				    uint8_t *to, uint64_t to_bit)
{
	uint64_t value = piece->value;
	uint8_t bytes[WORD];

	switch (piece->kind) {
	case DEBUG_IN_MEMORY:
		return read_memory(frame, piece->value, bit, n_bits, to, to_bit);
	case DEBUG_IS_BYTES:
		return copy_known(piece->bytes, piece->n_bytes, bit, n_bits, to, to_bit);
	case DEBUG_IS_MISSING:
		return piece->reason;
	case DEBUG_IN_REGISTER:
		if (value >= 64 || !(frame->known >> value & 1))
			return DEBUG_NO_REGISTER;
		value = frame->registers[value];
		break;
	case DEBUG_IS_VALUE:
		break;
	}
	memcpy(bytes, &value, sizeof(bytes));
	return copy_known(bytes, sizeof(bytes), bit, n_bits, to, to_bit);
}

enum debug_reason debug_location_read(const struct debug_location *location,
				      const struct debug_frame *frame, uint64_t bit,
				      uint64_t n_bits, uint8_t *bytes_ret)
{
	uint64_t begin = 0, done = 0;

	memset(bytes_ret, 0, (n_bits + 7) / 8);
	for (size_t i = 0; i < location->n_pieces && done < n_bits; i++) {
		const struct debug_piece *piece = &location->pieces[i];
		uint64_t size = piece->n_bits ? piece->n_bits : UINT64_MAX - begin;
		uint64_t at = bit + done - begin;

		if (at < size) {
			uint64_t n = n_bits - done < size - at ? n_bits - done : size - at;
			enum debug_reason reason =
				read_piece(piece, frame, piece->bit + at, n, bytes_ret, done);

			if (reason)
				return reason;
			done += n;
		}
		begin += size;
	}
	return done == n_bits ? DEBUG_KNOWN : DEBUG_OPTIMIZED_OUT;
}

const char *debug_reason_text(enum debug_reason reason)
{
	static const char *const texts[N_DEBUG_REASONS] = {
		[DEBUG_KNOWN] = "known",
		[DEBUG_OPTIMIZED_OUT] = "optimized out",
		[DEBUG_NOT_INITIALIZED] = "not initialized",
		[DEBUG_NO_MEMORY] = "in memory that the sample does not have",
		[DEBUG_NO_REGISTER] = "register not saved",
		[DEBUG_NO_ENTRY_VALUE] = "known at entry only",
		[DEBUG_NO_FRAME] = "frame without CFI",
		[DEBUG_NOT_STORED] = "points to an object without memory",
		[DEBUG_NOT_SUPPORTED] = "expression not supported",
		[DEBUG_MALFORMED] = "malformed expression",
		[DEBUG_NO_INFORMATION] = "no debug information",
		[DEBUG_NO_SUCH_PART] = "no such member, or no pointer or array",
	};

	return texts[reason];
}
