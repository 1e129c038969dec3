# Queries of dendro's JSON. Costs are weights; at a fixed rate they are samples times a constant.

def weight_per_sample: .metrics[0].total / .metrics[0].samples;

# Flat views.
def rows_named($name): weight_per_sample as $w | [.rows[] | select(.name == $name)]
	| { self: (map(.self[0]) | add // 0 | . / $w | round),
	    total: (map(.total[0]) | add // 0 | . / $w | round) };
def total: .total;

# The nodes with their fields by name.
def named_nodes: .frames as $frames | [.nodes[]
	| { parent: .[0] } + $frames[.[1]] + { self: .[2], total: .[3] } + .[4]];

# The nodes as a tree: each with its children.
def tree: named_nodes as $nodes
	| ([range($nodes | length)] | group_by($nodes[.].parent)) as $siblings
	| (reduce $siblings[] as $some ({}; .["\($nodes[$some[0]].parent)"] = $some)) as $below
	| def grow($i): $nodes[$i] + { children: [$below["\($i)"][]? | grow(.)] };
	grow(0);

# Every node of the tree with the names above it, root first: {path, kinds, kind, self, total}.
def nodes: weight_per_sample as $w
	| def walk_down($path; $kinds):
		($path + [.name]) as $p | ($kinds + [.kind]) as $k
		| { path: $p, kinds: $k, name, kind, self: (.self[0] / $w), total: (.total[0] / $w) },
		  (.children[] | walk_down($p; $k));
	tree | walk_down([]; []);

# Samples in the subtrees of the nodes for which a condition holds, each counted once.
def samples_under(condition): weight_per_sample as $w
	| def walk_down: if condition then .total[0] else (.children[] | walk_down) end;
	[tree | walk_down] | add // 0 | . / $w | round;

# The names of the user functions below all nodes called so. An interrupt may stop any function, so the
# kernel is left out.
def children_of($name):
	named_nodes as $nodes | [$nodes[] | select(.parent >= 0 and $nodes[.parent].name == $name) | .name
		| select(. != "[kernel]")] | unique;
# The names of the parents of all nodes called so.
def parents_of($name):
	named_nodes as $nodes | [$nodes[] | select(.parent >= 0 and .name == $name) | $nodes[.parent].name]
		| unique;

# User and kernel frames of a path from its first function called main on, joined by blanks.
def from_main: .path as $p | ($p | index("main")) as $i
	| if $i then $p[$i:] | join(" ") else "" end;

# Names without symbols: module+0xoffset -> the symbol that holds the offset, by a table of nm.
def hex: ascii_downcase | ltrimstr("0x") | explode
	| reduce .[] as $c (0; . * 16 + (if $c >= 97 then $c - 87 else $c - 48 end));
