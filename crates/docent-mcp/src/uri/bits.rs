//! Sets of places in a URI, moved along all at once.
//!
//! Used by `matching`, which works on the reversed URI: place `m` lies before the character
//! number `m` from the end. Sets of characters and sets of places have the same shape, and 64
//! places move in one machine word.

/// A set of numbers below a fixed bound.
#[derive(Clone, Debug, Default)]
pub(super) struct Bits(Box<[u64]>);

impl Bits {
    /// The empty set, with room for the places around `characters` characters.
    pub(super) fn empty(characters: usize) -> Bits {
        Bits(vec![0; characters / 64 + 1].into_boxed_slice())
    }

    /// The places before those characters of `text`, counted from its end, that are `wanted`.
    pub(super) fn before(text: &str, wanted: impl Fn(u8) -> bool) -> Bits {
        let mut bits = Bits::empty(text.len());
        for (word, bytes) in bits.0.iter_mut().zip(text.as_bytes().rchunks(64)) {
            for (at, byte) in bytes.iter().rev().enumerate() {
                *word |= u64::from(wanted(*byte)) << at;
            }
        }
        bits
    }

    /// The cost of one operation on a set of this size.
    pub(super) fn words(&self) -> usize {
        self.0.len()
    }

    pub(super) fn insert(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    pub(super) fn remove(&mut self, place: usize) {
        self.0[place / 64] &= !(1 << (place % 64));
    }

    pub(super) fn contains(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(super) fn unite(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    pub(super) fn intersect(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= other);
    }

    /// Moves every place over one character out of `characters`; the others are dropped.
    pub(super) fn step(&mut self, characters: &Bits) {
        let mut carry = 0;
        for (word, characters) in self.0.iter_mut().zip(&characters.0) {
            let moving = *word & characters;
            *word = moving << 1 | carry;
            carry = moving >> 63;
        }
    }

    /// Adds every place that is reached over any number of characters out of `characters`.
    ///
    /// Adding a place to a run of ones carries through the run, and the bits that the carry
    /// flipped are the places passed. This is what makes a variable of any length cost one pass.
    pub(super) fn spread(&mut self, characters: &Bits) {
        let mut carry = false;
        for (word, characters) in self.0.iter_mut().zip(&characters.0) {
            let (sum, over) = (*word & characters).overflowing_add(*characters);
            let (sum, over_again) = sum.overflowing_add(u64::from(carry));
            carry = over || over_again;
            *word |= sum ^ characters;
        }
    }

    /// The smallest number from which on everything below `bound` is in the set.
    pub(super) fn run_below(&self, bound: usize) -> usize {
        let mut start = bound;
        while start > 0 {
            let word = self.0[(start - 1) / 64];
            let inside = (start - 1) % 64 + 1;
            // How many of the `inside` lowest bits, from the highest down, are ones.
            let ones = (word << (64 - inside)).leading_ones() as usize;
            start -= ones.min(inside);
            if ones < inside {
                break;
            }
        }
        start
    }

    /// The smallest number from `from` to `to`, both included, that is in both sets.
    pub(super) fn first_common(&self, other: &Bits, from: usize, to: usize) -> Option<usize> {
        if from > to {
            return None;
        }
        let mut mask = u64::MAX << (from % 64);
        for at in from / 64..=to / 64 {
            let word = self.0[at] & other.0[at] & mask;
            if word != 0 {
                let found = at * 64 + word.trailing_zeros() as usize;
                return (found <= to).then_some(found);
            }
            mask = u64::MAX;
        }
        None
    }

    /// The largest number from `from` to `to`, both included, that is in both sets.
    pub(super) fn last_common(&self, other: &Bits, from: usize, to: usize) -> Option<usize> {
        if from > to {
            return None;
        }
        let mut mask = u64::MAX >> (63 - to % 64);
        for at in (from / 64..=to / 64).rev() {
            let word = self.0[at] & other.0[at] & mask;
            if word != 0 {
                let found = at * 64 + 63 - word.leading_zeros() as usize;
                return (found >= from).then_some(found);
            }
            mask = u64::MAX;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    fn set(size: usize, members: impl IntoIterator<Item = usize>) -> Bits {
        let mut bits = Bits::empty(size);
        members.into_iter().for_each(|member| bits.insert(member));
        bits
    }

    fn members(bits: &Bits, size: usize) -> Vec<usize> {
        (0..=size).filter(|place| bits.contains(*place)).collect()
    }

    /// Every operation agrees with the same thing done one place at a time.
    #[test]
    fn operations_agree_with_their_slow_twins() {
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            seed >> 33
        };
        for size in [1, 5, 63, 64, 65, 127, 128, 129, 200] {
            for density in 0..=6 {
                let places: Vec<_> = (0..=size).filter(|_| next() % 6 < density).collect();
                let characters: Vec<_> = (0..size).filter(|_| next() % 6 < 6 - density).collect();
                let (bits, class) =
                    (set(size, places.clone()), set(size, characters.iter().copied()));

                let moved = places.iter().filter(|place| characters.contains(place));
                let mut stepped = bits.clone();
                stepped.step(&class);
                assert_eq!(members(&stepped, size), moved.map(|p| p + 1).collect::<Vec<_>>());

                let mut slow = vec![false; size + 2];
                for place in 0..=size {
                    slow[place] |= places.contains(&place);
                    slow[place + 1] |= slow[place] && characters.contains(&place);
                }
                let mut spread = bits.clone();
                spread.spread(&class);
                let expected: Vec<_> = (0..=size).filter(|place| slow[*place]).collect();
                assert_eq!(members(&spread, size), expected, "{places:?} over {characters:?}");

                for bound in 0..=size {
                    let start = (0..bound).rev().find(|place| !characters.contains(place));
                    assert_eq!(class.run_below(bound), start.map_or(0, |place| place + 1));
                }
                for (from, to) in [(0, size), (size / 2, size), (3, 2), (size / 3, size / 2)] {
                    let mut common = (from..=to)
                        .filter(|place| places.contains(place) && characters.contains(place));
                    let (first, last) = (common.clone().next(), common.next_back());
                    assert_eq!(bits.first_common(&class, from, to), first, "{from} to {to}");
                    assert_eq!(bits.last_common(&class, from, to), last, "{from} to {to}");
                }
            }
        }
    }
}
