#include "collector/doctor/diagnosis_output.h"

#include <string.h>
#include <sys/utsname.h>

#include "cct/text/json_string.h"
#include "collector/configuration/option_settings.h"
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

/* A setting, and where it is. */
struct settings_row {
	const struct configuration_file *file;
	const struct setting *setting, *stronger; /* NULL: there is none */
	const struct configuration_file *file_of_stronger;
};

/* Which of them is next: begins with both at 0. false: none. */
static bool next_setting(const struct configuration *configuration, size_t *source, size_t *at,
			 struct settings_row *row)
{
	size_t stronger = 0;

	while (*source < CONFIGURATION_N_SOURCES &&
	       *at == configuration->files[*source].n_settings) {
		(*source)++;
		*at = 0;
	}
	if (*source == CONFIGURATION_N_SOURCES)
		return false;
	row->file = &configuration->files[*source];
	row->setting = &row->file->settings[(*at)++];
	row->stronger = option_settings_stronger(configuration, row->setting, *source, &stronger);
	row->file_of_stronger = row->stronger ? &configuration->files[stronger] : NULL;
	return true;
}

static void put(FILE *out, const char *text, bool utf8)
{
	paragraph_put(out, text, strlen(text), utf8);
}

void diagnosis_write_settings(FILE *out, const struct configuration *configuration, bool utf8)
{
	struct settings_row row;

	for (size_t source = 0, at = 0, n = 0; next_setting(configuration, &source, &at, &row);
	     n++) {
		fputs(n ? "  [" : "\nSettings, which options of the command line replace:\n  [",
		      out);
		put(out, row.setting->section, utf8);
		fputs("] ", out);
		put(out, row.setting->name, utf8);
		fputs(" = ", out);
		put(out, row.setting->value, utf8);
		fputs(", of ", out);
		put(out, row.file->path, utf8);
		fprintf(out, ":%u", row.setting->line);
		if (row.stronger) {
			fputs("; replaced by ", out);
			put(out, row.file_of_stronger->path, utf8);
			fprintf(out, ":%u", row.stronger->line);
		}
		putc('\n', out);
	}
}

static void write_member(FILE *out, const char *name, const char *value)
{
	fprintf(out, ",\"%s\":", name);
	if (value)
		json_write_string(out, value);
	else
		fputs("null", out);
}

static void write_json_settings(FILE *out, const struct configuration *configuration)
{
	struct settings_row row;

	for (size_t source = 0, at = 0, n = 0; next_setting(configuration, &source, &at, &row);
	     n++) {
		fputs(n ? ",\n{\"command\":" : "\n{\"command\":", out);
		json_write_string(out, row.setting->section);
		write_member(out, "option", row.setting->name);
		write_member(out, "value", row.setting->value);
		write_member(out, "file", row.file->path);
		fprintf(out, ",\"line\":%u,\"counts\":%s}", row.setting->line,
			row.stronger ? "false" : "true");
	}
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
	fputs("],\"settings\":[", out);
	write_json_settings(out, diagnosis->configuration);
	fputs("]}\n", out);
}
