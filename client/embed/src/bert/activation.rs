/*!
Functions of single numbers, and softmax.

The compiler computes several numbers at a time, because no function has a branch or calls a library.
*/

#![expect(
    clippy::inline_always,
    reason = "a function is compiled for the processor only where it is inlined"
)]

use super::vectorized::{maximum, sum, vectorized};
use serde::Deserialize;

/// The function between the two layers of a feed-forward network.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Activation {
    Gelu,
    /// The approximation of GELU by the hyperbolic tangent.
    #[serde(alias = "gelu_pytorch_tanh")]
    GeluNew,
    Relu,
}

impl Activation {
    /// Applies the function to each number.
    pub(super) fn apply(self, numbers: &mut [f32]) {
        match self {
            Self::Gelu => map(numbers, gelu),
            Self::GeluNew => map(numbers, gelu_new),
            Self::Relu => map(numbers, |x| x.max(0.0)),
        }
    }
}

fn map(numbers: &mut [f32], function: impl Fn(f32) -> f32) {
    vectorized(
        #[inline(always)]
        || {
            for number in numbers {
                *number = function(*number);
            }
        },
    );
}

/// Replaces the numbers of each row by their exponentials, divided by the sum of these.
pub(super) fn softmax(numbers: &mut [f32], columns: usize) {
    vectorized(
        #[inline(always)]
        || {
            for row in numbers.chunks_exact_mut(columns) {
                let largest = maximum(row);
                for number in &mut *row {
                    *number = exp(*number - largest);
                }
                let factor = 1.0 / sum(row);
                for number in row {
                    *number *= factor;
                }
            }
        },
    );
}

#[inline(always)]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

#[inline(always)]
fn gelu_new(x: f32) -> f32 {
    let inner = (2.0 / std::f32::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
    // 0.5 * (1 + tanh(inner))
    x / (1.0 + exp(-2.0 * inner))
}

/// The error function, with an error of at most 5e-7: Abramowitz and Stegun 1964, 7.1.26.
#[inline(always)]
fn erf(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let series = [1.061_405_4, -1.453_152_1, 1.421_413_8, -0.284_496_72, 0.254_829_6];
    let series = series.iter().fold(0.0, |sum, factor| (sum + factor) * t);
    (1.0 - series * exp(-x * x)).copysign(x)
}

/// The exponential function, with a relative error of at most 3e-7.
///
/// A power of 2 with an integer exponent is written into the bits of the number; a polynomial is the rest.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Adding this number rounds to an integer, which is then in the low bits.
    const ROUND: f32 = 12_582_912.0;
    // ln 2 as a sum of two numbers, of which the first has few bits, so that its products are exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let x = x.clamp(-87.0, 88.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let exponent = rounded - ROUND;
    let rest = x - exponent * LN_2[0] - exponent * LN_2[1];
    let factors = [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_66, 0.5];
    let series = factors.iter().fold(0.0, |sum, factor| sum * rest + factor);
    let power = series * rest * rest + rest + 1.0;
    f32::from_bits(power.to_bits().wrapping_add(rounded.to_bits() << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_agrees_with_the_standard_library() {
        for step in -8_700_i16..=8_800 {
            let x = f32::from(step) / 100.0;
            let (actual, expected) = (f64::from(exp(x)), f64::from(x).exp());
            assert!((actual / expected - 1.0).abs() < 3e-7, "exp({x}) = {actual}");
        }
        assert!(exp(f32::MIN) < 2e-38 && exp(f32::MAX) > 1e38);
    }

    #[test]
    fn erf_agrees_with_tables() {
        let table = [
            (0.0, 0.0),
            (0.1, 0.112_462_916),
            (0.5, 0.520_499_9),
            (1.0, 0.842_700_8),
            (-1.5, -0.966_105_15),
            (2.0, 0.995_322_3),
            (9.0, 1.0),
        ];
        for (x, expected) in table {
            assert!((erf(x) - expected).abs() < 5e-7, "erf({x}) = {}", erf(x));
        }
    }

    #[test]
    fn softmax_of_large_numbers_is_finite() {
        let mut numbers = [1e30, 1e30, -1e30, 1e30];
        softmax(&mut numbers, 4);
        let third = 1.0 / 3.0;
        let expected = [third, third, 0.0, third];
        assert!(numbers.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{numbers:?}");
    }
}
