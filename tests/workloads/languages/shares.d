// As shares.rs, in D; worker is an instance of a template.
module shares;

import core.stdc.time : clock, CLOCKS_PER_SEC;
import std.conv : to;
import std.stdio : writeln;

enum ulong unitIterations = 10_000;
__gshared ulong seen;

pragma(inline, false) T worker(T)(T n) {
    T x = n;
    foreach (i; 0 .. n * unitIterations)
        x = x * 6364136223846793005UL + n;
    seen = x;
    return x;
}

pragma(inline, false) ulong dispatch1(ulong n) {
    return worker(n) / 3 + n;
}

pragma(inline, false) ulong dispatch2(ulong n) {
    return worker(2 * n) / 3 + n;
}

void main(string[] args) {
    const seconds = args.length > 1 ? args[1].to!double : 2;
    uint random = 1;
    ulong sink;

    while (clock() < seconds * CLOCKS_PER_SEC) { // CPU time
        random = random * 1664525 + 1013904223;
        const n = 16 + (random >> 26);
        sink += dispatch1(n) + dispatch2(n);
    }
    writeln(sink);
}
