// The paths of tests/cli/0280-languages.bats: worker under dispatch_1 and dispatch_2, 1:2, and below a recursion.

extern "C" {
    fn clock() -> std::ffi::c_long;
}

// This process's own time on a processor.
fn seconds_run() -> f64 {
    unsafe { clock() as f64 / 1e6 }
}

const UNIT_ITERATIONS: u64 = 10_000;

#[inline(never)]
fn worker(n: u64) -> u64 {
    let mut x = n;
    for _ in 0..n * UNIT_ITERATIONS {
        x = std::hint::black_box(x.wrapping_mul(6364136223846793005).wrapping_add(n));
    }
    x
}

#[inline(never)]
fn dispatch_1(n: u64) -> u64 {
    worker(n) / 3 + n
}

#[inline(never)]
fn dispatch_2(n: u64) -> u64 {
    worker(2 * n) / 3 + n
}

#[inline(never)]
fn descend(depth: u64, n: u64) -> u64 {
    if depth == 0 {
        return worker(n) / 3 + n;
    }
    descend(depth - 1, n) / 3 + depth
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).map_or(2.0, |text| text.parse().unwrap());
    let (mut random, mut sink) = (1u32, 0u64);

    while seconds_run() < seconds {
        random = random.wrapping_mul(1664525).wrapping_add(1013904223);
        let n = 16 + u64::from(random >> 26);
        sink = sink
            .wrapping_add(dispatch_1(n))
            .wrapping_add(dispatch_2(n))
            .wrapping_add(descend(9, n));
    }
    println!("{sink}");
}
