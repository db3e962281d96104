//! Dates as JavaScript has them: milliseconds from the epoch, and days in UTC.

use std::fmt::Write;

/// The furthest a `Date` reaches from the epoch, in ms.
const LAST_DATE_MS: f64 = 8.64e15;
const DAY_MS: i64 = 86_400_000;
/// Characters of an ISO date that are a day, for years of four digits.
const DAY_CHARACTERS: usize = 10;

/// Whether a `Date` can hold `ms`.
#[must_use]
pub(super) fn valid_date(ms: f64) -> bool {
    ms.abs() <= LAST_DATE_MS
}

/// The first ten characters of `toISOString()`: the day in UTC, or, beyond the
/// years of four digits, a signed year of six and the month. `None` beyond what a
/// `Date` can hold.
#[must_use]
pub(super) fn day(ms: f64) -> Option<String> {
    if !valid_date(ms) {
        return None;
    }
    let (year, month, day) = civil((ms as i64).div_euclid(DAY_MS));
    let mut text = String::new();
    let written = match year {
        0..=9999 => write!(text, "{year:04}"),
        _ => write!(text, "{year:+07}"),
    };
    written.and_then(|()| write!(text, "-{month:02}-{day:02}")).ok()?;
    text.truncate(DAY_CHARACTERS);
    Some(text)
}

/// Year, month and day of the proleptic Gregorian calendar, `days` after 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    // Counted in eras of 400 years from 1 March of the year 0, so that the leap
    // day is the last of its year.
    const ERA_DAYS: i64 = 146_097;
    let since = days + 719_468;
    let (era, of_era) = (since.div_euclid(ERA_DAYS), since.rem_euclid(ERA_DAYS));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    // Months from March: groups of five hold 153 days.
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days() {
        for (ms, text) in [
            (0.0, "1970-01-01"),
            (-0.5, "1970-01-01"),
            (-1.0, "1969-12-31"),
            (86_399_999.9, "1970-01-01"),
            (951_782_400_000.0, "2000-02-29"),
            (951_868_800_000.0, "2000-03-01"),
            (4_107_456_000_000.0, "2100-02-28"),
            (4_107_542_400_000.0, "2100-03-01"),
            (1_780_000_061_000.0, "2026-05-28"),
            (253_402_300_799_999.0, "9999-12-31"),
            (253_402_300_800_000.0, "+010000-01"),
            (316_500_000_000_000.0, "+011999-06"),
            (8.64e15, "+275760-09"),
            (-62_167_219_200_000.0, "0000-01-01"),
            (-62_167_219_200_001.0, "-000001-12"),
            (-8.64e15, "-271821-04"),
        ] {
            assert_eq!(day(ms).as_deref(), Some(text), "{ms}");
        }
        for ms in [9e15, -9e15, f64::NAN, f64::INFINITY] {
            assert_eq!(day(ms), None, "{ms}");
            assert!(!valid_date(ms), "{ms}");
        }
    }

    #[test]
    fn days_agree_with_a_calendar_that_is_walked() {
        let (mut year, mut month, mut day) = (1600, 1, 1);
        for days in -135_140..200_000 {
            assert_eq!(civil(days), (year, month, day), "{days}");
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = match month {
                2 => 28 + i64::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if length < day {
                (month, day) = (month + 1, 1);
            }
            if month == 13 {
                (year, month) = (year + 1, 1);
            }
        }
    }
}
