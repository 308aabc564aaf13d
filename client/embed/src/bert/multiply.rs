//! The product of two matrices, on the thread of the caller.

use gemm_common::Parallelism;
use ndarray::{ArrayView2, ArrayViewMut2};

/// Multiplies two matrices and a factor, and adds the product to `result`, or writes it if `keep` is false.
///
/// The kernel is that of the processor, chosen at run time: AVX-512, AVX2 with FMA, or NEON. The matrices may have any strides, so
/// weights are multiplied in the order in which a file has them.
#[expect(unsafe_code, reason = "the kernels take pointers")]
#[expect(clippy::needless_pass_by_value, reason = "a view is a pointer")]
pub(super) fn multiply(
    factor: f32,
    left: ArrayView2<'_, f32>,
    right: ArrayView2<'_, f32>,
    keep: bool,
    mut result: ArrayViewMut2<'_, f32>,
) {
    let ((rows, inner), (right_rows, columns)) = (left.dim(), right.dim());
    assert!(inner == right_rows && result.dim() == (rows, columns), "the shapes do not fit");
    if result.strides()[0] > result.strides()[1] {
        // The kernels compute vectors of a column. So of a matrix whose rows are in one piece they compute the transposed one.
        return multiply(
            factor,
            right.reversed_axes(),
            left.reversed_axes(),
            keep,
            result.reversed_axes(),
        );
    }
    let kernel = gemm_f32::gemm::f32::get_gemm_fn();
    let [left_row, left_column] = [left.strides()[0], left.strides()[1]];
    let [right_row, right_column] = [right.strides()[0], right.strides()[1]];
    let [result_row, result_column] = [result.strides()[0], result.strides()[1]];
    // SAFETY: the pointers and strides are those of views that live until the end of this function. The shapes have been
    // compared, so the kernel reads and writes only elements of the views. `result` is borrowed mutably, so no other view has its
    // elements.
    unsafe {
        kernel(
            rows,
            columns,
            inner,
            result.as_mut_ptr(),
            result_column,
            result_row,
            keep,
            left.as_ptr(),
            left_column,
            left_row,
            right.as_ptr(),
            right_column,
            right_row,
            1.0,
            factor,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, s};

    fn matrix(rows: usize, columns: usize) -> Array2<f32> {
        Array2::from_shape_fn((rows, columns), |(row, column)| {
            ((row * 7 + column) as f32 * 1.7).sin()
        })
    }

    #[test]
    fn multiply_equals_the_product_of_ndarray_for_any_strides() {
        for (rows, inner, columns) in [(1, 1, 1), (2, 3, 4), (17, 32, 17), (130, 70, 200)] {
            let (left, right) = (matrix(rows, inner), matrix(inner, columns));
            let transposed = right.t().as_standard_layout().into_owned();
            let expected = left.dot(&right) * 0.5;
            let mut wide = Array2::ones((rows, 2 * columns));
            let part = |wide: &mut Array2<f32>, keep| {
                let result = wide.slice_mut(s![.., columns..]);
                multiply(0.5, left.view(), transposed.t(), keep, result);
            };
            part(&mut wide, true);
            let difference = &wide.slice(s![.., columns..]) - &(&expected + 1.0);
            assert!(difference.iter().all(|number| number.abs() < 1e-4));
            part(&mut wide, false);
            let difference = &wide.slice(s![.., columns..]) - &expected;
            assert!(difference.iter().all(|number| number.abs() < 1e-4));
            assert!(wide.slice(s![.., ..columns]).iter().all(|number| (number - 1.0).abs() < 1e-6));
        }
    }

    #[test]
    #[should_panic(expected = "the shapes do not fit")]
    fn multiply_rejects_matrices_of_other_shapes() {
        let (left, right, mut result) = (matrix(2, 3), matrix(2, 3), matrix(2, 3));
        multiply(1.0, left.view(), right.view(), false, result.view_mut());
    }
}
