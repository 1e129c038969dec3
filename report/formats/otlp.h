/* Writes call paths as profiles of OTLP, OpenTelemetry's protocol, in binary Protocol Buffers. */
#ifndef REPORT_FORMATS_OTLP_H
#define REPORT_FORMATS_OTLP_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "cct/text/content_id.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"

/* As path_format::write. */
int otlp_write(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
	       const struct path_options *options);

/* Whose a profile is. Texts are borrowed. */
struct otlp_resource {
	const char *service, *host; /* NULL: not known */
	const struct otlp_attribute {
		const char *name, *value;
	} * attributes;
	size_t n_attributes;
	struct content_id id; /* of the profile, which is never another one's */
};

/* A profile without processes, of one service; its metrics have profile IDs. 0 or -errno. */
int otlp_write_resource(FILE *out, const struct profile *profile, struct symbolizer *symbolizer,
			const struct otlp_resource *resource);

#endif
