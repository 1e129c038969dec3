// What Rust programs do: strings, maps, sorting, closures, trait objects, threads.
use std::collections::HashMap;

extern "C" {
    fn clock() -> std::os::raw::c_long;
}

trait Shape {
    fn area(&self) -> f64;
}
struct Square(f64);
struct Circle(f64);

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}
impl Shape for Circle {
    fn area(&self) -> f64 {
        self.0.powf(2.0) * 3.14
    }
}

fn words(seed: &mut u32) -> Vec<String> {
    (0..3000)
        .map(|i| {
            *seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            format!("{:x}.{}", *seed, i % 97)
        })
        .collect()
}

fn count(words: &[String]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in words {
        *counts.entry(word.chars().rev().take(3).collect()).or_insert(0) += word.len();
    }
    counts
}

fn areas(words: &[String]) -> f64 {
    let shapes: Vec<Box<dyn Shape>> = words
        .iter()
        .map(|word| -> Box<dyn Shape> {
            match word.len() % 2 {
                0 => Box::new(Square(word.len() as f64)),
                _ => Box::new(Circle(word.len() as f64)),
            }
        })
        .collect();
    shapes.iter().map(|shape| shape.area()).sum()
}

// This process's own time on processors.
fn seconds_run() -> f64 {
    unsafe { clock() as f64 / 1e6 }
}

fn rounds(seconds: f64, mut seed: u32) -> usize {
    let mut sum = 0;
    while seconds_run() < seconds {
        let mut words = words(&mut seed);
        words.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        sum += count(&words).values().sum::<usize>() + areas(&words) as usize;
    }
    sum
}

fn main() {
    let seconds = std::env::args().nth(1).map_or(2.0, |text| text.parse().unwrap());
    let threads: Vec<_> = (1..3).map(|i| std::thread::spawn(move || rounds(seconds, i))).collect();
    let sum: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    println!("{sum}");
}
