#include "collector/doctor/diagnosis_output.h"

#include <string.h>
#include <sys/utsname.h>

#include "cct/text/json_string.h"
#include "report/terminal/paragraph.h"

#define TITLE_WIDTH 16
#define STATE_WIDTH 7
#define TEXT_COLUMN (TITLE_WIDTH + 2 + STATE_WIDTH + 2)

static const char *title_of(const struct doctor_check *titles, const char *check)
{
	while (strcmp(titles->name, check) != 0)
		titles++;
	return titles->title;
}

static void write_finding(FILE *out, const struct finding *finding, const char *title,
			  unsigned width, bool utf8)
{
	struct paragraph paragraph = paragraph_begin(out, width, TEXT_COLUMN, utf8);

	fprintf(out, "%-*s  %-*s  ", TITLE_WIDTH, title, STATE_WIDTH,
		finding_state_name(finding->state));
	paragraph_add(&paragraph, finding->text);
	putc('\n', out);
	if (!finding->remedy)
		return;
	/* A command is never wrapped: it is there to be copied. */
	fprintf(out, "%*s%s ", TEXT_COLUMN, "", utf8 ? "→" : "->");
	paragraph_put(out, finding->remedy, strlen(finding->remedy), utf8);
	putc('\n', out);
}

void diagnosis_write_text(FILE *out, const struct diagnosis *diagnosis,
			  const struct doctor_check *titles, unsigned width, bool utf8)
{
	for (size_t i = 0; i < diagnosis->n_findings; i++)
		write_finding(out, &diagnosis->findings[i],
			      title_of(titles, diagnosis->findings[i].check), width, utf8);
}

static void write_member(FILE *out, const char *name, const char *value)
{
	fprintf(out, ",\"%s\":", name);
	if (value)
		json_write_string(out, value);
	else
		fputs("null", out);
}

void diagnosis_write_json(FILE *out, const struct diagnosis *diagnosis)
{
	struct utsname machine;

	fprintf(out, "{\"schema\":%d", DIAGNOSIS_SCHEMA);
	write_member(out, "dendro", DENDRO_VERSION);
	if (uname(&machine) == 0) {
		write_member(out, "kernel", machine.release);
		write_member(out, "arch", machine.machine);
	}
	fprintf(out, ",\"cpus\":%u,\"checks\":[", diagnosis->limits.n_cpus);
	for (size_t i = 0; i < diagnosis->n_findings; i++) {
		const struct finding *finding = &diagnosis->findings[i];

		fprintf(out, "%s\n{\"check\":\"%s\",\"state\":\"%s\"", i ? "," : "", finding->check,
			finding_state_name(finding->state));
		write_member(out, "text", finding->text);
		write_member(out, "remedy", finding->remedy);
		putc('}', out);
	}
	fputs("]}\n", out);
}
