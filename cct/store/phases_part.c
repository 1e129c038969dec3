/* Writes and reads the phases of a run, each after the one before; and those of several runs. */
#include <errno.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/store/profile_parts.h"

#define PHASE_SIZE_MIN 3 /* bytes: a name, a distance, a duration */

void phases_part_write(struct byte_buffer *body, const struct profile *profile)
{
	const struct phases *phases = &profile->phases;
	uint64_t last_ns = 0;

	byte_buffer_add_unsigned(body, phases->n);
	for (uint32_t i = 0; i < phases->n; i++) {
		const struct phase *phase = &phases->phases[i];

		byte_buffer_add_text(body, phase->name);
		byte_buffer_add_unsigned(body, phase->start_ns - last_ns);
		byte_buffer_add_unsigned(body,
					 phase->end_ns ? phase->end_ns - phase->start_ns + 1 : 0);
		last_ns = phase->end_ns ? phase->end_ns : phase->start_ns;
	}
}

static int read_phase(struct dwarf_reader *body, struct phases *phases)
{
	_cleanup_free_ char *name = NULL;
	int err = part_read_text(body, &name);

	if (err || !name || !*name)
		return err ? err : -EINVAL;
	const uint64_t start_ns = phases->last_ns + dwarf_read_uleb(body);
	const uint64_t duration = dwarf_read_uleb(body);
	err = body->is_broken ? -EINVAL : phases_mark(phases, name, start_ns);
	return err || !duration ? err : phases_mark(phases, "", start_ns + duration - 1);
}

int phases_part_read(struct dwarf_reader *body, struct profile *profile)
{
	int64_t n = part_read_count(body, PHASE_SIZE_MIN);
	int err = n < 0 || n > PHASES_MAX ? -EINVAL : 0;

	for (int64_t i = 0; !err && i < n; i++)
		err = read_phase(body, &profile->phases);
	return err;
}

/* The list is sorted by run, so distances of runs are small; times of a run follow its last one. */
void run_phases_part_write(struct byte_buffer *body, const struct profile *profile)
{
	const struct phases *phases = &profile->phases;
	struct phase last = { .run = 0 };

	byte_buffer_add_unsigned(body, phases->n);
	for (uint32_t i = 0; i < phases->n; i++) {
		const struct phase *phase = &phases->phases[i];

		if (phase->run != last.run)
			last.start_ns = 0;
		byte_buffer_add_unsigned(body, phase->run - last.run);
		byte_buffer_add_text(body, phase->name);
		byte_buffer_add_unsigned(body, phase->start_ns - last.start_ns);
		byte_buffer_add_unsigned(body,
					 phase->end_ns ? phase->end_ns - phase->start_ns + 1 : 0);
		last = *phase;
	}
}

static int read_run_phase(struct dwarf_reader *body, const struct profile *profile,
			  struct phases *phases)
{
	const struct phase *last = phases->n ? &phases->phases[phases->n - 1] : NULL;
	const uint64_t run = (last ? last->run : 0) + dwarf_read_uleb(body);
	_cleanup_free_ char *name = NULL;
	int err = part_read_text(body, &name);

	if (err || !name || !*name || strlen(name) > PHASE_NAME_SIZE_MAX ||
	    run >= profile->rows->n_runs)
		return err ? err : -EINVAL;
	struct phase phase = { .name = name, .run = (uint32_t)run };
	phase.start_ns = dwarf_read_uleb(body) + (last && last->run == run ? last->start_ns : 0);
	const uint64_t duration = dwarf_read_uleb(body);
	if (duration && __builtin_add_overflow(phase.start_ns, duration - 1, &phase.end_ns))
		return -EINVAL;
	if (body->is_broken || (last && phases_compare(last, &phase) >= 0))
		return -EINVAL;
	return phases_add(phases, &phase);
}

int run_phases_part_read(struct dwarf_reader *body, struct profile *profile)
{
	int64_t n = part_read_count(body, PHASE_SIZE_MIN + 1);
	int err = n < 0 || !profile->rows || !profile->rows->n_runs || profile->phases.n ? -EINVAL
											 : 0;

	for (int64_t i = 0; !err && i < n; i++)
		err = read_run_phase(body, profile, &profile->phases);
	return err;
}
