// variants [SECONDS]: calls work() with the same work each time, with enums whose values have known
// shares: of six calls, count is None in three and Some(42) in three; nearest is None in two; shape
// is each variant in two; result is Err in two.
use std::hint::black_box;
use std::time::{Duration, Instant};

#[derive(Clone, Copy)]
pub enum Shape {
    Circle { r: f64 },
    Square(u32),
    Empty,
}

pub struct Item<'a> {
    name: &'a str,
    shape: Shape,
    position: (i32, bool),
}

#[inline(never)]
fn burn(n: u64) -> u64 {
    (0..20_000).fold(n, |sum, i| black_box(sum.wrapping_mul(31).wrapping_add(i)))
}

#[inline(never)]
fn work(item: &Item, count: Option<u32>, nearest: Option<&u64>, letter: char, result: Result<u32, i8>) -> u64 {
    let sum = burn(item.position.0 as u64);
    black_box((item.name, &item.shape, item.position.1, count, nearest, letter, result));
    sum
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1.0);
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let near = 9u64;
    let mut sum = 0u64;
    while Instant::now() < end {
        for i in 0..6u32 {
            let item = Item {
                name: if i % 2 == 0 { "even" } else { "odd" },
                shape: match i % 3 {
                    0 => Shape::Circle { r: 1.5 },
                    1 => Shape::Square(4),
                    _ => Shape::Empty,
                },
                position: (-3, i % 2 == 0),
            };
            sum = sum.wrapping_add(work(
                &item,
                if i < 3 { None } else { Some(42) },
                if i % 3 == 0 { None } else { Some(&near) },
                if i % 2 == 0 { 'é' } else { 'x' },
                if i % 3 == 0 { Err(-4) } else { Ok(3) },
            ));
        }
    }
    println!("{sum}");
}
