//! Throws dice: generators, distributions, shuffles, and tests of them.

use std::collections::HashMap;

use rand::distr::{Alphanumeric, Distribution, StandardUniform, Uniform, weighted::WeightedIndex};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, IteratorRandom, SliceRandom};
use rand::{Rng, RngExt, SeedableRng};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Face {
    Blank,
    Star,
    Moon,
}

impl Distribution<Face> for StandardUniform {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Face {
        match rng.random_range(0..3) {
            0 => Face::Blank,
            1 => Face::Star,
            _ => Face::Moon,
        }
    }
}

struct Table {
    rng: StdRng,
    sides: Uniform<u32>,
}

impl Table {
    fn seeded(seed: u64, sides: u32) -> Result<Self, rand::distr::uniform::Error> {
        Ok(Self { rng: StdRng::seed_from_u64(seed), sides: Uniform::new_inclusive(1, sides)? })
    }

    fn throw(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| self.sides.sample(&mut self.rng)).collect()
    }

    fn name(&mut self) -> String {
        (&mut self.rng).sample_iter(Alphanumeric).take(8).map(char::from).collect()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut table = Table::seeded(7, 6)?;
    println!("{}: {:?}", table.name(), table.throw(5));
    let mut rng = rand::rng();
    let mut deck: Vec<u8> = (0..52).collect();
    deck.shuffle(&mut rng);
    if let Some(card) = deck.choose(&mut rng) {
        println!("card {card}");
    }
    let odd = deck.iter().filter(|card| *card % 2 == 1).choose(&mut rng);
    println!("odd {odd:?}");
    let weights = WeightedIndex::new([1, 3, 6])?;
    let faces = [Face::Blank, Face::Star, Face::Moon];
    let mut counts: HashMap<Face, usize> = HashMap::new();
    for _ in 0..1_000 {
        *counts.entry(faces[weights.sample(&mut rng)]).or_default() += 1;
    }
    println!("{counts:?} {:?} {}", rng.random::<Face>(), rng.random_bool(0.5));
    let mut key = [0u8; 16];
    rng.fill(&mut key);
    println!("{:x?} {}", key, rand::random::<u16>());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_throws() {
        let mut one = Table::seeded(1, 20).unwrap();
        let mut other = Table::seeded(1, 20).unwrap();
        assert_eq!(one.throw(10), other.throw(10));
        assert_ne!(StdRng::seed_from_u64(2).random::<u64>(), one.rng.random::<u64>());
    }
}
