# Values that the kernel fetches at probes: of programs whose arguments are known, so that each value
# has an exact number of calls; and of static probes.

load lib

setup_file() {
	load lib
	prepare build_programs
}

build_programs() {
	need_root
	need_events
	need jq gcc
	[ "$(uname -m)" = x86_64 ] || skip "the programs' arguments are those of x86-64"
	[ -w /sys/kernel/tracing/uprobe_events ] || [ -w /sys/kernel/debug/tracing/uprobe_events ] ||
		skip "this kernel has no uprobe_events, or tracefs is not mounted"
	cd "$BATS_FILE_TMPDIR"
	local level source=$ROOT/tests/workloads/entry_arguments
	for level in 0 1 2; do
		gcc -std=gnu17 -g -O$level -o gcc-O$level "$source.c"
		! command -v clang >/dev/null ||
			clang -std=gnu17 -g -gdwarf-4 -O$level -o clang-O$level "$source.c"
	done
	gcc -std=gnu17 -O1 -o static_probes "$ROOT/tests/workloads/static_probes.c"
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
}

programs() {
	local program
	for program in gcc-O{0,1,2} clang-O{0,2}; do
		[ ! -x $program ] || echo $program
	done
}

# fetched FILE EVENT COMMAND... : the rows of values with their numbers, sorted: "[n = 1] 15".
fetched() {
	local file=$1 event=$2
	shift 2
	"$DENDRO" record -q --stack-size 4096 -m 32M -o "$file" -e "$event" -- "$@" >/dev/null
	"$DENDRO" export --format folded -o "$file.folded" "$file"
	grep -o '\[[^;]*$' "$file.folded" | sed -E 's/ ([0-9]+)$/\t\1/' |
		awk -F '\t' '{ n[$1] += $2 } END { for (row in n) print row, n[row] }' | sort
}

# expect_values PROGRAM FUNCTION EXPRESSION "VALUE N;..."
expect_values() {
	fetched values.data "uprobe:./$1:$2/value=$3/" "./$1" |
		sed -E 's/^\[//; s/\] ([0-9]+)$/ \1/' | sort >got
	tr ';' '\n' <<<"${4%;}" | sort >expected
	diff expected got || {
		echo "$1, $2, $3"
		return 1
	}
}

@test "probe values: each call has the value that the function was called with" {
	local program
	for program in $(programs); do
		expect_values $program numbers n 'n = -1 15;n = 0 15;n = 1 15;n = 2 15;'
		expect_values $program numbers c 'c = 200 30;c = 201 30;'
		expect_values $program numbers l 'l = 1 20;l = 1048576 20;l = 1099511627776 20;'
		expect_values $program numbers flag 'flag = false 40;flag = true 20;'
		expect_values $program numbers letter \
			"letter = 97 'a' 20;letter = 98 'b' 20;letter = 99 'c' 20;"
		expect_values $program numbers seventh 'seventh = 0 30;seventh = 7 30;'
		expect_values $program by_value n 'n = 0 12;n = 1 12;n = 2 12;n = 3 12;n = 4 12;'
		expect_values $program by_value pair.second \
			'pair.second = 0 15;pair.second = 1 15;pair.second = 2 15;pair.second = 3 15;'
	done
}

@test "probe values: pointers are followed, and what can't be read has a row" {
	local program unread='not available: memory that could not be read 1'
	for program in $(programs); do
		expect_values $program pointers s \
			's = "" 20;s = "five" 20;s = "nine hundred" 20;s = "none" 1;'
		expect_values $program pointers 'array[1]' \
			'array[1] = 0 12;array[1] = 1 12;array[1] = 2 12;array[1] = 3 12;array[1] = 4 13;'
		expect_values $program pointers '*s' "*s = 0 20;*s = 102 'f' 20;*s = 110 'n' 21;"
		expect_values $program pointers 'p->length' \
			"p->length = -3 20;p->length = 5 20;p->length = 900 20;p->length $unread;"
		expect_values $program pointers 'p->name' \
			"p->name = \"\" 20;p->name = \"five\" 20;p->name = \"nine hundred\" 20;p->name $unread;"
		expect_values $program pointers '(*pp)->length' \
			"(*pp)->length = 5 30;(*pp)->length = 900 30;(*pp)->length $unread;"
		expect_values $program pointers 'p->next->next->inner.few[3]' \
			"p->next->next->inner.few[3] = -12 20;p->next->next->inner.few[3] = 4 20;p->next->next->inner.few[3] = 8 20;p->next->next->inner.few[3] $unread;"
		expect_values $program pointers 'p->inner.text' \
			"p->inner.text = \"\" 20;p->inner.text = \"eins\" 20;p->inner.text = \"zwei\" 20;p->inner.text $unread;"
		expect_values $program pointers 'p->weight' \
			"p->weight = -10000000000 20;p->weight = 0 20;p->weight = 2.5 20;p->weight $unread;"
		expect_values $program pointers 'p->high' \
			"p->high = 0 20;p->high = 17 20;p->high = 31 20;p->high $unread;"
		expect_values $program pointers 'p->bits' \
			"p->bits = -3 20;p->bits = 0 20;p->bits = 7 20;p->bits $unread;"
	done
}

@test "probe values: enumerators and functions have their names" {
	local program
	for program in $(programs); do
		expect_values $program pointers 'p->colour' \
			'p->colour = BLUE 20;p->colour = GREEN 20;p->colour = RED 20;p->colour not available: memory that could not be read 1;'
		expect_values $program callback level 'level = HIGH 10;level = LOW 30;level = MIDDLE 20;'
		expect_values $program callback step 'step = <left> 48;step = <right> 12;'
	done
}

@test "probe values: gdb finds the same values behind the function's first instructions" {
	need gdb
	local program
	for program in $(programs); do
		cat >commands.gdb <<-'GDB'
			set confirm off
			set debuginfod enabled off
			break pointers if p != 0
			commands
			silent
			printf "[p->next->length = %d]\n", p->next->length
			continue
			end
			run
		GDB
		gdb -nx -batch -x commands.gdb ./$program 2>gdb.errors | grep '^\[p->' | sort |
			uniq -c | awk '{ n = $1; sub(/^ *[0-9]+ /, ""); print $0, n }' | sort >gdb.values
		fetched gdb.data "uprobe:./$program:pointers/value=p->next->length/" ./$program |
			grep -v 'not available' >kernel.values
		diff gdb.values kernel.values
		[ "$(wc -l <gdb.values)" -eq 3 ]
	done
}

@test "probe values: weights are sums of the expression, and what can't be read is told" {
	local program event
	for program in $(programs); do
		event="uprobe:./$program:pointers/weight=p->length,value=s,unit=bytes/"
		"$DENDRO" record -q --stack-size 4096 -o weights.data -e "$event" -- ./$program
		report_json weights.data >weights.json
		# 20 of 5 and of 900; negative ones and the one that can't be read weigh nothing.
		expect_equal "weights of $program" \
			"$(jq -c '[.metrics[0].total, .metrics[0].samples, .metrics[0].unit, .quality.unweighed]' weights.json)" \
			'[18100,61,"bytes",1]'
		"$DENDRO" export --format folded -o weights.folded weights.data
		grep -q ';\[s = "nine hundred"\] 18000$' weights.folded
		grep -q ';\[s = "five"\] 100$' weights.folded
	done
	event=uprobe:./gcc-O2:numbers/weight=arg1,value=arg2/
	fetched arguments.data "$event" ./gcc-O2 >rows
	grep -q '^\[arg2 = 200\] ' rows
}

@test "probe values: 'dendro values' and stored profiles have them" {
	local event='uprobe:./gcc-O2:pointers/value=p->length/'
	"$DENDRO" record -q -o kept.data -e "$event" -- ./gcc-O2
	"$DENDRO" values --format json pointers 'p->length' kept.data >values.json
	jq -e '.variables[] | select(.name == "p->length") | .known == 60' values.json
	"$DENDRO" build -o kept.cct kept.data
	"$DENDRO" export --format folded -o kept.folded kept.data
	"$DENDRO" export --format folded -o stored.folded kept.cct
	diff <(sort kept.folded) <(sort stored.folded)
	grep -q '\[p->length = 900\] 20$' stored.folded
	"$DENDRO" merge -o sum.cct kept.cct kept.cct
	"$DENDRO" export --format folded -o sum.folded sum.cct
	grep -q '\[p->length = 900\] 40$' sum.folded
	"$DENDRO" record -q -o live.cct -e "$event" -- ./gcc-O2
	"$DENDRO" export --format folded -o live.folded live.cct
	diff <(sed 's/^[^;]*;//' kept.folded | sort) <(sed 's/^[^;]*;//' live.folded | sort)
	# The user's own question goes before.
	"$DENDRO" export --format folded --split pointers:s -o split.folded kept.data
	grep -q '\[s = ' split.folded
	! grep -q '\[p->length' split.folded
}

@test "probe values: calls of values too small to be shown are their function's among the hottest" {
	cat >many.c <<-'END'
		__attribute__((noipa)) static long work(int kind) { return kind; }
		int main(void)
		{
			long sum = 0;
			for (int i = 0; i < 4000; i++)
				sum += work(i % 400);
			return sum == 1;
		}
	END
	gcc -O1 -g -o many many.c
	"$DENDRO" record -q -e 'uprobe:./many:work/value=kind/@1' -o many.data -- ./many
	"$DENDRO" report --min 1 many.data >report.txt
	grep -q '\.\.\. 400 more below 1 %' report.txt
	sed -n '/hottest functions/,/^$/p' report.txt >hottest
	[ "$(sed -n 's/  */ /g; 2,$p' hottest | grep .)" = " 100.00% 4000 work many" ]
}

@test "probe values: programs that run already, children, and the whole machine" {
	local event='uprobe:./gcc-O2:numbers/value=n/'
	[ "$(fetched children.data "$event" sh -c './gcc-O2; ./gcc-O2' | tr '\n' ';')" = \
		'[n = -1] 30;[n = 0] 30;[n = 1] 30;[n = 2] 30;' ]
	"$DENDRO" record -q -a --stack-size 4096 -o all.data -e "$event" -- ./gcc-O2
	expect_equal samples "$(report_json all.data | jq '.metrics[0].samples')" 60
}

@test "probe values: what can't be fetched is refused with the reason" {
	local p='uprobe:./gcc-O2'
	refuses "floating-point numbers" -- "$DENDRO" record -e "$p:by_value/value=d/" true
	refuses "ask for one of its members" -- "$DENDRO" record -e "$p:by_value/value=pair/" true
	refuses "no parameter 'nope'" "pair, d, n" -- "$DENDRO" record -e "$p:by_value/value=nope/" true
	refuses "does not fit its types" -- "$DENDRO" record -e "$p:by_value/value=n.x/" true
	refuses "neither '->'" -- "$DENDRO" record -e "$p:by_value/value=n+1/" true
	refuses "a text is no weight" -- "$DENDRO" record -e "$p:pointers/weight=s/" true
	refuses "a text is no weight" -- "$DENDRO" record -e "$p:pointers/weight=str(arg2)/" true
	refuses "floating-point number is no weight" -- \
		"$DENDRO" record -e "$p:pointers/weight=p->weight/" true
	refuses "with a sign is no weight" -- "$DENDRO" record -e "$p:pointers/weight=p->bits/" true
	refuses "has no arguments" -- "$DENDRO" record -e "uretprobe:./gcc-O2:numbers/value=n/" true
	refuses "only probes have values" -- "$DENDRO" record -e sched:sched_switch/value=prev_pid/ true
	refuses "takes its value from its own samples" -- \
		"$DENDRO" record -e "{cpu-clock,$p:numbers/value=n/}:S" true
	gcc -O0 -o no_debug "$ROOT/tests/workloads/entry_arguments.c"
	refuses "no debug information" arg1 -- \
		"$DENDRO" record -e uprobe:./no_debug:numbers/value=n/ true
	expect_values no_debug pointers 'str(arg2)' \
		'str(arg2) = "" 20;str(arg2) = "five" 20;str(arg2) = "nine hundred" 20;str(arg2) = "none" 1;'
}

@test "probe values: members of objects, references and objects that are passed by value in C++" {
	cat >shapes.cpp <<-'CPP'
		#include <string>
		struct base { long count; };
		struct shape : base {
			int sides;
			explicit shape(int n) : base{ 10L * n }, sides(n) {}
			__attribute__((noinline)) long area(const int &scale, bool doubled);
		};
		struct heavy { std::string name; int n; };
		static volatile long sink;
		long shape::area(const int &scale, bool doubled)
		{
			sink = sink + sides * scale + doubled;
			return sink;
		}
		__attribute__((noinline)) void take(heavy h, unsigned k)
		{
			sink = sink + h.n + k;
			__asm__ volatile("" ::: "memory");
		}
		int main()
		{
			shape a(3), b(4);
			for (int i = 0; i < 20; i++) {
				int scale = i % 5;
				(i % 4 ? a : b).area(scale, i % 2);
				take({ "x", i % 2 }, i % 4);
			}
		}
	CPP
	local compiler level area=_ZN5shape4areaERKib take=_Z4take5heavyj
	for compiler in g++ clang++; do
		command -v $compiler >/dev/null || continue
		for level in 0 2; do
			$compiler -g -O$level -o shapes shapes.cpp
			expect_values shapes $area 'this->sides' 'this->sides = 3 15;this->sides = 4 5;'
			expect_values shapes $area 'this->count' 'this->count = 30 15;this->count = 40 5;'
			expect_values shapes $area scale \
				'scale = 0 4;scale = 1 4;scale = 2 4;scale = 3 4;scale = 4 4;'
			expect_values shapes $area doubled 'doubled = false 10;doubled = true 10;'
			expect_values shapes $take h.n 'h.n = 0 10;h.n = 1 10;'
			expect_values shapes $take k 'k = 0 5;k = 1 5;k = 2 5;k = 3 5;'
		done
	done
}

@test "probe values: Rust's references and slices" {
	need rustc
	cat >items.rs <<-'RUST'
		use std::hint::black_box;
		pub struct Item { length: u32, delta: i64 }
		#[no_mangle]
		#[inline(never)]
		pub fn take(item: &Item, n: i32, text: &str, b: bool) -> i64 {
		    black_box(item.length as i64 + n as i64 + text.len() as i64 + b as i64 + item.delta)
		}
		fn main() {
		    let items = [Item { length: 5, delta: -1 }, Item { length: 6, delta: 1 << 40 }];
		    let mut sum = 0;
		    for i in 0..20usize {
		        let text = if i % 5 == 0 { "abc" } else { "de" };
		        sum += take(&items[i % 2], i as i32 % 4 - 1, text, i % 4 == 0);
		    }
		    println!("{}", sum);
		}
	RUST
	local level
	for level in 0 2; do
		rustc -g -C opt-level=$level -o items items.rs || skip "rustc does not build programs here"
		expect_values items take 'item->length' 'item->length = 5 10;item->length = 6 10;'
		expect_values items take 'item->delta' \
			'item->delta = -1 10;item->delta = 1099511627776 10;'
		expect_values items take n 'n = -1 5;n = 0 5;n = 1 5;n = 2 5;'
		expect_values items take text.length 'text.length = 2 16;text.length = 3 4;'
		expect_values items take b 'b = false 15;b = true 5;'
	done
}

@test "probe values: a local variable and one that was optimized out are refused" {
	cat >locals.c <<-'C'
		__attribute__((noinline, noclone)) int work(int used, int unused)
		{
			volatile int local = used;

			(void)unused;
			return local;
		}

		int main(int argc, char **argv)
		{
			(void)argv;
			return work(argc, 2) - 1;
		}
	C
	gcc -g -O0 -o locals locals.c
	refuses "local variable" -- "$DENDRO" record -e uprobe:./locals:work/value=local/ true
}

@test "static probes: all sites are one event, whose arguments are known" {
	local event=usdt:./static_probes:dendro:called rows
	# The semaphore makes the program compute what it passes.
	rows=$(fetched static.data "$event/value=arg1/" ./static_probes | tr '\n' ';')
	[ "$rows" = '[arg1 = -1] 20;[arg1 = -2] 20;[arg1 = -3] 20;[arg1 = -4] 20;[arg1 = 0] 30;[arg1 = 1] 10;[arg1 = 2] 10;[arg1 = 3] 10;[arg1 = 4] 10;[arg1 = 5] 10;[arg1 = 6] 10;[arg1 = 7] 10;[arg1 = 8] 10;[arg1 = 9] 10;' ] || {
		echo "$rows"
		return 1
	}
	rows=$(fetched static.data "$event/value=str(arg2)/" ./static_probes | tr '\n' ';')
	[ "$rows" = '[str(arg2) = "even"] 150;[str(arg2) = "odd \"quoted\""] 50;' ]
	"$DENDRO" record -q -o static.data -e "$event/weight=arg3/" \
		-e usdt:./static_probes:dendro:mixed/weight=arg1/ -e "$event" -- ./static_probes
	report_json static.data >static.json
	# 100 * 7 + 100 * 9; twice 100 rounds of 0 to 3; hits.
	expect_equal weights "$(jq -c '[.metrics[] | [.total, .samples]]' static.json)" \
		'[[1600,200],[300,200],[200,200]]'
}

@test "static probes: they are listed, and wrong names and arguments are refused" {
	"$DENDRO" list usdt:./static_probes >listed
	grep -q 'usdt:./static_probes:dendro:called .*; 2 sites$' listed
	[ "$(grep -c usdt: listed)" -eq 3 ]
	"$DENDRO" list 'usdt:./static_probes:dendro:m*' >listed
	[ "$(grep -c usdt: listed)" -eq 1 ]
	refuses "no static probes" -- "$DENDRO" list usdt:./gcc-O2
	refuses "not an ELF file" -- "$DENDRO" list usdt:/etc/passwd
	refuses "did you mean dendro:called" -- \
		"$DENDRO" record -e usdt:./static_probes:dendro:caled true
	refuses "usdt:PROGRAM:dendro:called" -- "$DENDRO" record -e sdt_dendro:called true
	refuses usdt:PROGRAM:PROVIDER:NAME -- "$DENDRO" record -e usdt:./static_probes true
	refuses "fewer arguments" -- \
		"$DENDRO" record -e usdt:./static_probes:dendro:called/value=arg4/ true
	refuses "the kernel can't fetch" "8@8(" -- \
		"$DENDRO" record -e usdt:./static_probes:dendro:indexed/value=arg1/ true
	refuses "no argument of a probe" -- \
		"$DENDRO" record -e usdt:./static_probes:dendro:called/value=n/ true
	refuses "a text is no weight" -- \
		"$DENDRO" record -e 'usdt:./static_probes:dendro:called/weight=str(arg2)/' true
}

@test "static probes: those of python tell its garbage collections" {
	local python=/usr/bin/python3.11
	"$DENDRO" list usdt:$python >listed 2>&1 || skip "$python has no static probes"
	grep -q ':python:gc__start ' listed || skip "$python has no gc__start"
	cat >collect.py <<-'PY'
		import gc
		gc.disable()
		for i in range(7):
		    gc.collect(1)
	PY
	fetched python.data "usdt:$python:python:gc__start/value=arg1/" $python -I -S collect.py >rows
	cat rows
	grep -qxF '[arg1 = 1] 7' rows
}

@test "probe values: probes of a killed recorder are removed by the next one" {
	need pgrep
	local recorder commands
	"$DENDRO" record -q -o killed.data -e uprobe:./gcc-O2:numbers/value=n/ -a -- sleep 600 3>&- &
	recorder=$!
	probes_of() { grep "dendro_$1_" /sys/kernel/tracing/uprobe_events || true; }
	has_probes() { [ -n "$(probes_of $recorder)" ]; }
	wait_until has_probes
	commands=$(pgrep -P $recorder)
	stop $recorder
	# shellcheck disable=SC2086
	kill $commands
	"$DENDRO" record -q -o next.data -e uprobe:./gcc-O2:numbers/value=n/ -- true
	expect_equal "probes of the killed one" "$(probes_of $recorder)" ""
}
