#include "collector/record/record_advice.h"

#include <inttypes.h>

void record_advice_add(const struct recorder_summary *summary, struct recording_notes *notes)
{
	if (summary->n_lost)
		recording_notes_add(
			notes, false,
			"samples were lost: to lose fewer, lower the rate (-F), enlarge "
			"the rings (-m), or copy less of each stack (--stack-size).");
	if (summary->n_lost_sideband)
		recording_notes_add_counted(
			notes, false, summary->n_lost_sideband,
			"{record|records} of mappings and processes {was|were} lost: some code "
			"will have no names. Enlarge the rings (-m).");
	if (summary->n_throttled)
		recording_notes_add(
			notes, false,
			"the kernel throttled the events: lower the rate (-F), or raise "
			"kernel.perf_event_max_sample_rate.");
	if (summary->n_corrupt_rings)
		recording_notes_add_counted(
			notes, false, summary->n_corrupt_rings,
			"ring {buffer was|buffers were} corrupt and {was|were} discarded.");
}
