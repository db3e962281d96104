//! Numbers as JavaScript spells them.

use std::fmt::Write as _;

use super::RawValue;

/// The largest integer that JavaScript counts with, 2⁵³ − 1.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// The safe integer at `value`, when it is one and not negative.
pub(in crate::engine) fn safe_integer(value: RawValue<'_>) -> Option<f64> {
    value.number().filter(|n| (0.0..=MAX_SAFE_INTEGER).contains(n) && n.fract() == 0.0)
}

/// Appends `number` as `JSON.stringify` does: the shortest digits that read
/// back as the same number, and `null` for what is not finite.
pub(in crate::engine) fn push_number(number: f64, out: &mut String) {
    if !number.is_finite() {
        return out.push_str("null");
    }
    if number == 0.0 {
        return out.push('0');
    }
    if number.abs() <= MAX_SAFE_INTEGER && number.fract() == 0.0 {
        // Writing to a string does not fail.
        let _ = write!(out, "{}", number as i64);
        return;
    }
    if number < 0.0 {
        out.push('-');
    }
    let scientific = shortest(number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().unwrap_or_default();
    // Where the decimal point stands, counted from the first digit.
    let point = exponent + 1;
    match usize::try_from(point) {
        Ok(point @ 1..=21) if digits.len() <= point => {
            out.push_str(&digits);
            out.extend(std::iter::repeat_n('0', point - digits.len()));
        }
        Ok(point @ 1..=21) => {
            let (whole, fraction) = digits.split_at(point);
            out.extend([whole, ".", fraction]);
        }
        _ if (-5..=0).contains(&point) => {
            out.push_str("0.");
            out.extend(std::iter::repeat_n('0', point.unsigned_abs() as usize));
            out.push_str(&digits);
        }
        _ => {
            let (first, rest) = digits.split_at(1);
            out.push_str(first);
            if !rest.is_empty() {
                out.extend([".", rest]);
            }
            let _ = write!(out, "e{exponent:+}");
        }
    }
}

/// `d.ddde-n` with the fewest digits that read back as `number`; of two such
/// numbers that are equally near, the even one.
fn shortest(number: f64) -> String {
    let shortest = format!("{number:e}");
    // Rust takes the upper of the two, and with a count of digits the even one.
    let digits = shortest.bytes().take_while(|&byte| byte != b'e').count();
    let even = format!("{number:.*e}", digits.saturating_sub(2));
    if even.parse() == Ok(number) { even } else { shortest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::random::Random;

    fn spell(number: f64) -> String {
        let mut out = String::new();
        push_number(number, &mut out);
        out
    }

    #[track_caller]
    fn test(number: f64, text: &str) {
        assert_eq!(spell(number), text);
        assert_eq!(spell(-number), format!("-{text}"));
    }

    #[test]
    fn spelled_as_javascript_does() {
        test(1.50, "1.5");
        test(100.0, "100");
        test(1e21, "1e+21");
        test(1.25e21, "1.25e+21");
        test(123456789012345680000.0, "123456789012345680000");
        test(999999999999999900000.0, "999999999999999900000");
        test(0.000001, "0.000001");
        test(0.0000012, "0.0000012");
        test(1e-7, "1e-7");
        test(1.5e-10, "1.5e-10");
        test(0.1 + 0.2, "0.30000000000000004");
        test(9007199254740993.0, "9007199254740992");
        test(5e-324, "5e-324");
        test(f64::MAX, "1.7976931348623157e+308");
        test(1e23, "1e+23");
        test(4.35, "4.35");
        test(947522681154060.0 + 0.25, "947522681154060.2");
        test(1234760796067671.0 + 0.25, "1234760796067671.2");
    }

    #[test]
    fn zero_has_no_sign_and_infinity_is_null() {
        assert_eq!(spell(0.0), "0");
        assert_eq!(spell(-0.0), "0");
        assert_eq!(spell(f64::INFINITY), "null");
        assert_eq!(spell(f64::NEG_INFINITY), "null");
    }

    #[test]
    fn every_spelling_reads_back() {
        let mut random = Random::new(1);
        for _ in 0..20_000 {
            let bits = random.bits();
            let number = f64::from_bits(bits);
            if number.is_finite() {
                assert_eq!(spell(number).parse::<f64>().map(f64::to_bits), Ok(bits));
            }
        }
    }
}
