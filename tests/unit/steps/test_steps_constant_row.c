/* Assembly that one row of CFI describes, prologues and epilogues included: a small program, and
 * luajit's interpreter of 16 KiB. */
#include "tests/unit/fixtures/stepped_program.h"

#define ROW .skip_loader = true, .source = "constant_row.c"

/* Calls of Lua and C functions in both directions, metamethods and coroutines. */
#define SCRIPT                                                                              \
	"LUA_INIT=jit.off() "                                                               \
	"local t = {} for i = 1, 6 do t[i] = tostring(i * 7 % 5) .. 'x' end "               \
	"table.sort(t, function(a, b) return a < b end) "                                   \
	"local m = setmetatable({}, { __index = function(_, k) return k end, "              \
	"__add = function(a, b) return 1 end, __call = function(self, x) return x end }) "  \
	"local s = m.a .. m.b; s = m + m; s = m(3) "                                        \
	"local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) " \
	"co() co() "                                                                        \
	"pcall(function(x) return x end, 1) "                                               \
	"s = string.gsub('hello', 'o', function(c) return c:upper() end) "                  \
	"for k, v in pairs(t) do s = #v end "                                               \
	"os.exit(0)"

static struct stepped_program programs[] = {
	{ ROW, GCC = "-O2" },
	{ ROW, GCC = "-O2 -s -no-pie" },
	{ .skip_loader = true, .installed = "luajit", .setting = SCRIPT },
};

int main(void)
{
	return step_programs(programs, sizeof(programs) / sizeof(programs[0]));
}
