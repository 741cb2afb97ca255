//! JSON numbers compared by value: `1`, `1.0`, and `1e0` are the same number.
//!
//! Fed by `serde_json::Number`, which keeps integers and floats apart. Feeds the numeric
//! keywords, the `integer` type, and equality.

use serde_json::Number;
use std::cmp::Ordering;
use std::io::Write as _;

/// A number in a form that compares exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Num {
    /// Any integer below 2^126 in size, however it was written.
    Int(i128),
    /// A fraction, or something too large to be held as an integer.
    Float(f64),
}

/// Floats of this size and more stay floats; `i128` holds everything below.
const INT_SIZE_MAX: f64 = (1u128 << 126) as f64;

impl Num {
    pub(super) fn of(number: &Number) -> Self {
        if let Some(int) = number.as_i64() {
            return Self::Int(int.into());
        }
        if let Some(int) = number.as_u64() {
            return Self::Int(int.into());
        }
        let float = number.as_f64().unwrap_or(f64::INFINITY);
        if float.fract() == 0.0 && float.abs() < INT_SIZE_MAX {
            Self::Int(float as i128)
        } else {
            Self::Float(float)
        }
    }

    pub(super) fn is_integer(self) -> bool {
        match self {
            Self::Int(_) => true,
            Self::Float(float) => float.is_finite() && float.fract() == 0.0,
        }
    }

    pub(super) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a.cmp(&b),
            (Self::Float(a), Self::Float(b)) => a.total_cmp(&b),
            (Self::Int(a), Self::Float(b)) => compare_int_float(a, b),
            (Self::Float(a), Self::Int(b)) => compare_int_float(b, a).reverse(),
        }
    }
}

/// `float` is never a small integer here (see [`Num::of`]), so the two are never equal.
fn compare_int_float(int: i128, float: f64) -> Ordering {
    if float.abs() >= INT_SIZE_MAX {
        return if float > 0.0 { Ordering::Less } else { Ordering::Greater };
    }
    // A fraction lies strictly between its floor and the next integer.
    if int <= float.floor() as i128 { Ordering::Less } else { Ordering::Greater }
}

/// A number as digits and a power of ten, so that 0.3 is a multiple of 0.1 as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: u64,
    exponent: i32,
}

impl Decimal {
    /// The size of the number; the sign makes no difference to divisibility.
    pub(super) fn of(number: &Number) -> Option<Self> {
        if let Some(int) = number.as_i64() {
            return Some(Self { digits: int.unsigned_abs(), exponent: 0 });
        }
        if let Some(int) = number.as_u64() {
            return Some(Self { digits: int, exponent: 0 });
        }
        let float = number.as_f64()?.abs();
        // The shortest digits that read back as the same float: at most 17, then `e-308`.
        let mut buffer = [0u8; 40];
        let mut rest = &mut buffer[..];
        write!(rest, "{float:e}").ok()?;
        let unused = rest.len();
        let text = std::str::from_utf8(&buffer[..buffer.len() - unused]).ok()?;
        let (mantissa, exponent) = text.split_once('e')?;
        let mut exponent: i32 = exponent.parse().ok()?;
        let mut digits = 0u64;
        for byte in mantissa.bytes().filter(u8::is_ascii_digit) {
            digits = digits.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
        }
        if let Some((_, fraction)) = mantissa.split_once('.') {
            exponent -= i32::try_from(fraction.len()).ok()?;
        }
        Some(Self { digits, exponent })
    }

    pub(super) fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// Whether this is a whole number of times `divisor`, exactly.
    pub(super) fn is_multiple_of(self, divisor: Self) -> bool {
        if self.digits == 0 {
            return true;
        }
        if divisor.digits == 0 {
            return false;
        }
        let shift = i64::from(self.exponent) - i64::from(divisor.exponent);
        if shift >= 0 {
            // digits × 10^shift mod divisor, one digit at a time; the remainder stays
            // below 2^64, so the product stays below 2^68.
            let modulus = u128::from(divisor.digits);
            let mut remainder = u128::from(self.digits) % modulus;
            for _ in 0..shift {
                if remainder == 0 {
                    break;
                }
                remainder = remainder * 10 % modulus;
            }
            remainder == 0
        } else {
            // The divisor is digits × 10^-shift; past 10^20 it exceeds any dividend.
            let scaled = u32::try_from(-shift)
                .ok()
                .and_then(|power| 10u128.checked_pow(power))
                .and_then(|power| power.checked_mul(u128::from(divisor.digits)));
            scaled.is_some_and(|scaled| u128::from(self.digits) % scaled == 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, Num};
    use serde_json::Number;
    use std::cmp::Ordering::{self, Equal, Greater, Less};

    fn parse(text: &str) -> Number {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn numbers_compare_by_value() {
        let table: &[(&str, &str, Ordering)] = &[
            ("1", "1.0", Equal),
            ("-0.0", "0", Equal),
            ("1", "1.5", Less),
            ("2", "1.5", Greater),
            ("-1", "-1.5", Greater),
            ("-2", "-1.5", Less),
            ("9007199254740993", "9007199254740992.0", Greater),
            ("18446744073709551615", "18446744073709551616", Less),
            ("18446744073709551615", "1e300", Less),
            ("-9223372036854775808", "-1e300", Greater),
            ("1e300", "1e301", Less),
        ];
        for (a, b, expected) in table {
            let (x, y) = (Num::of(&parse(a)), Num::of(&parse(b)));
            assert_eq!(x.compare(y), *expected, "{a} against {b}");
            assert_eq!(y.compare(x), expected.reverse(), "{b} against {a}");
        }
    }

    #[test]
    fn multiples_are_exact() {
        let table = [
            ("10", "2", true),
            ("7", "2", false),
            ("0.3", "0.1", true),
            ("4.35", "0.01", true),
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("1e308", "0.5", true),
            ("1e308", "0.123456789", false),
            ("1e-10", "1e10", false),
            ("0", "7", true),
            ("-9", "4.5", true),
            ("1e308", "1e-308", true),
        ];
        for (number, divisor, expected) in table {
            let (a, b) = (Decimal::of(&parse(number)), Decimal::of(&parse(divisor)));
            let got = a.unwrap().is_multiple_of(b.unwrap());
            assert_eq!(got, expected, "{number} by {divisor}");
        }
    }
}
