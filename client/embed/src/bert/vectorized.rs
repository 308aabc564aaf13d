//! Loops that the compiler writes for the vector unit of the processor at run time, not for that of every processor.

#![expect(
    clippy::inline_always,
    reason = "a function is compiled for the processor only where it is inlined"
)]

/// The sums and maxima that a loop computes beside each other, so that the compiler may use vectors.
const LANES: usize = 16;

/// Runs a loop in code for AVX-512, AVX2 or NEON if the processor has it. The results do not depend on that.
///
/// The closure is compiled for that processor only if it is inlined.
pub(super) fn vectorized(run: impl FnOnce()) {
    pulp::Arch::new().dispatch(run);
}

/// Returns the sum of numbers.
#[inline(always)]
pub(super) fn sum(numbers: &[f32]) -> f32 {
    fold(numbers, 0.0, |sum, number| sum + number)
}

/// Returns the largest number.
#[inline(always)]
pub(super) fn maximum(numbers: &[f32]) -> f32 {
    fold(numbers, f32::NEG_INFINITY, f32::max)
}

#[inline(always)]
fn fold(numbers: &[f32], start: f32, join: impl Fn(f32, f32) -> f32) -> f32 {
    let (groups, rest) = numbers.as_chunks::<LANES>();
    let mut lanes = [start; LANES];
    for group in groups {
        for (lane, number) in lanes.iter_mut().zip(group) {
            *lane = join(*lane, *number);
        }
    }
    lanes.iter().chain(rest).fold(start, |joined, number| join(joined, *number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_maxima_include_numbers_beside_full_groups() {
        let numbers: Vec<f32> = (1_u8..=37).map(f32::from).collect();
        assert_eq!((sum(&numbers), maximum(&numbers)), (703.0, 37.0));
        assert_eq!((sum(&[]), maximum(&[-2.0, -1.0])), (0.0, -1.0));
    }
}
