# %% [markdown]
# A profile in a notebook: steps.cct is what record_steps.c records. Editors that know cells run
# them one by one; after each is what it shows.

# %%
import dendro

profile = dendro.open("steps.cct")
[(metric["name"], metric["samples"], metric["total"]) for metric in profile.metrics]
#> [('steps', 697, 929)]

# %%
# Which functions have most cost of their own? With pandas:
# pandas.DataFrame(profile.functions()).nlargest(2, "self")
functions = profile.functions()
sorted(zip(functions["self"], functions["total"], functions["name"]), reverse=True)
#> [(465, 929, 'fib'), (464, 464, 'add'), (0, 929, 'main')]

# %%
# How deep is the recursion, and what does each depth cost?
paths = profile.paths()
by_depth = {}
for path, cost in zip(paths["path"], paths["self"]):
    depth = path.count("fib")
    by_depth[depth] = by_depth.get(depth, 0) + cost
for depth, cost in sorted(by_depth.items())[:4]:
    print(depth, cost)
#> 1 3
#> 2 6
#> 3 12
#> 4 24

# %%
# The samples in the order of time; each leads to a row of the tree.
nodes = profile.nodes()
samples = profile.samples()
for time_ns, node in sorted(zip(samples["time_ns"], samples["node"]))[10:14]:
    print(time_ns, nodes["name"][node])
#> 10000 fib
#> 11000 fib
#> 12000 fib
#> 14000 add

# %%
# Nothing was lost, and nothing is left out.
profile.quality["lost"], profile.notes
#> (0, [])

# %%
profile.close()
