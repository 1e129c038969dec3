#include "report/html/page_marks.h"

#include <inttypes.h>

#include "report/html/page_string.h"

void page_losses_write(FILE *out, const struct profile_info *info)
{
	fputs(",\n\"losses\":[", out);
	for (size_t i = 0; i < info->losses.n; i++) {
		const struct loss *loss = &info->losses.losses[i];

		fprintf(out, "%s[%d,%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
			loss->kind, loss->cpu == LOSS_NO_CPU ? -1 : (int64_t)loss->cpu,
			loss->start_ns > info->start_ns ? loss->start_ns - info->start_ns : 0,
			loss->end_ns > info->start_ns ? loss->end_ns - info->start_ns : 0, loss->n);
	}
	putc(']', out);
}

static int write_phase(FILE *out, const char *before, const char *name, uint64_t start_ns,
		       uint64_t end_ns)
{
	int err = page_string_write(out, before, name);

	fprintf(out, ",%" PRIu64 ",%" PRIu64 "]", start_ns, end_ns);
	return err;
}

static uint64_t end_of(const struct profile *profile, uint32_t i)
{
	const uint32_t run = profile->phases.phases[i].run;

	return phases_end_ns(&profile->phases, i, profile_run_span(profile, run).end_ns);
}

int page_phases_write(FILE *out, const struct profile *profile)
{
	int err = 0;

	fputs(",\n\"phases\":[", out);
	for (uint32_t i = 0; i < profile->phases.n && !err; i++) {
		const struct phase *phase = &profile->phases.phases[i];

		err = write_phase(out, i ? ",\n[" : "[", phase->name,
				  profile_since_start(profile, phase->run, phase->start_ns),
				  profile_since_start(profile, phase->run, end_of(profile, i)));
	}
	putc(']', out);
	return err;
}

static uint64_t since(uint64_t time_ns, uint64_t start_ns)
{
	return time_ns > start_ns ? time_ns - start_ns : 0;
}

int page_phases_write_of_run(FILE *out, const struct profile *profile, uint32_t run)
{
	const uint64_t start_ns = profile_run_span(profile, run).start_ns;
	size_t n = 0;
	int err = 0;

	fputs(",\n\"phases\":[", out);
	for (uint32_t i = 0; i < profile->phases.n && !err; i++) {
		const struct phase *phase = &profile->phases.phases[i];

		if (phase->run != run)
			continue;
		err = write_phase(out, n++ ? ",\n[" : "[", phase->name,
				  since(phase->start_ns, start_ns),
				  since(end_of(profile, i), start_ns));
	}
	putc(']', out);
	return err;
}
