// tests/cli/0646-values.bats: work for each of two texts in read-only data, twice as much for "print".

use std::hint::black_box;

#[inline(never)]
fn work(kind: &str, rounds: usize) -> u64 {
    let mut sum = 0u64;
    for i in 0..rounds {
        sum = sum.wrapping_add(u64::from(kind.as_bytes()[black_box(i) % kind.len()]));
    }
    black_box(sum)
}

fn main() {
    let mut sum = 0;
    for i in 0..600 {
        let kind = if i % 3 == 0 { "parse" } else { "print" };
        sum ^= work(kind, 300_000);
    }
    println!("{}", sum);
}
