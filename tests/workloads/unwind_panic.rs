// Panics that are caught, with values to drop on their way: for a single-stepping test.
use std::hint::black_box;
use std::panic::{catch_unwind, set_hook};

struct AtEnd(u64);

impl Drop for AtEnd {
    fn drop(&mut self) {
        black_box(self.0);
    }
}

#[inline(never)]
fn panic_below(depth: u64) -> u64 {
    let at_end = AtEnd(depth);
    if depth == 0 {
        panic!("at the bottom");
    }
    panic_below(depth - 1) + black_box(at_end.0)
}

#[inline(never)]
fn catch_here(depth: u64) -> u64 {
    catch_unwind(|| panic_below(black_box(depth))).unwrap_or(depth)
}

fn main() {
    set_hook(Box::new(|_| {}));
    std::process::exit((catch_here(0) + catch_here(3) != 3) as i32);
}
