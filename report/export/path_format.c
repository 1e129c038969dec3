#include "report/export/path_format.h"

#include "report/export/folded.h"
#include "report/pprof/pprof.h"

const struct path_format path_formats[] = {
	{ .name = "pprof", .is_binary = true, .has_lines = true, .write = pprof_write },
	{ .name = "folded", .has_one_metric = true, .write = folded_write },
	{ 0 },
};
