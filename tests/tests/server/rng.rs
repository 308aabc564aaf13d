//! Random numbers that a seed repeats.

/// A generator of random numbers: splitmix64.
pub struct Rng(u64);

impl Rng {
    /// Returns the generator of a seed and a number.
    pub fn new(seed: u64, number: u32) -> Self {
        let mut rng = Self(seed ^ (u64::from(number) << 20));
        rng.next();
        rng
    }

    /// Returns another generator, whose numbers change none of this one.
    pub fn branch(&self) -> Self {
        Self::new(!self.0, 1)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below another.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns an index of a list.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// Returns true with a probability in percent.
    pub fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }

    /// Returns an element.
    pub fn choose<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.index(choices.len())]
    }

    /// Returns an element with a probability in percent, else `None`.
    pub fn maybe<T: Clone>(&mut self, chance: u64, choices: &[T]) -> Option<T> {
        self.percent(chance).then(|| self.choose(choices).clone())
    }

    /// Returns the numbers below another in random order.
    pub fn shuffled(&mut self, end: u64) -> Vec<u64> {
        let mut numbers: Vec<u64> = (0..end).collect();
        for i in (1..numbers.len()).rev() {
            numbers.swap(i, self.index(i + 1));
        }
        numbers
    }
}
