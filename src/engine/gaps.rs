//! What a search did not find or cover, in sentences for the model, and the
//! dates they name.

use std::fmt::Write;

use crate::engine::{SessionHeader, reply::FactsStatus};

/// The furthest a `Date` reaches from the epoch, in ms.
const LAST_DATE_MS: f64 = 8.64e15;
const DAY_MS: i64 = 86_400_000;
/// Characters of an ISO date that are a day, for years of four digits.
const DAY_CHARACTERS: usize = 10;

/// What the sentences tell.
#[derive(Clone, Debug)]
pub struct Gaps<'a> {
    /// Terms that no message holds, in the caller's spelling and order.
    pub missed: &'a [&'a str],
    /// Whether the facts were searched.
    pub facts_status: FactsStatus,
    /// How many facts matched.
    pub facts_found: usize,
    /// Sessions after the cap, the unreadable ones included.
    pub searched: usize,
    /// The oldest activity of those, as [`activity`] gives it.
    pub oldest: Option<f64>,
    /// The cap on Sessions, where there is one.
    pub cap: Option<usize>,
    /// Sessions that cannot be read and could hold a term.
    pub unreadable: usize,
    /// Passages that did not fit.
    pub dropped: usize,
}

impl Gaps<'_> {
    /// The sentences, word for word as the contract has them.
    #[must_use]
    pub fn sentences(&self) -> String {
        let Self { missed, facts_status, facts_found, searched, oldest, cap, unreadable, dropped } =
            self;
        let mut sentences = Vec::new();
        if !missed.is_empty() {
            sentences.push(format!("No transcript match for: {}.", missed.join(", ")));
        }
        if *facts_status == FactsStatus::Unavailable {
            sentences.push("The facts store is unavailable.".to_owned());
        } else if *facts_found == 0 {
            sentences.push("No distilled facts matched.".to_owned());
        }
        sentences.push(format!("Searched {searched} Session(s)."));
        if let Some(day) = oldest.and_then(day) {
            sentences.push(format!("Oldest Session activity {day}."));
        }
        if let Some(cap) = cap.filter(|cap| cap <= searched) {
            sentences.push(format!("Session scan capped at {cap}; older Sessions were not read."));
        }
        if 0 < *unreadable {
            sentences.push(format!("{unreadable} Session(s) could not be read."));
        }
        if 0 < *dropped {
            sentences.push(format!("{dropped} passage(s) did not fit the size limit."));
        }
        sentences.join(" ")
    }
}

/// The oldest and the newest last message of Sessions, over the dates that a
/// `Date` can hold; `None` when there is none.
pub fn activity<'a>(
    headers: impl IntoIterator<Item = &'a SessionHeader>,
) -> (Option<f64>, Option<f64>) {
    let dates = headers.into_iter().filter_map(|header| header.last_message_at);
    dates.filter(|&at| valid_date(at)).fold((None, None), |(oldest, newest), at| {
        let oldest = oldest.map_or(at, |oldest: f64| oldest.min(at));
        let newest = newest.map_or(at, |newest: f64| newest.max(at));
        (Some(oldest), Some(newest))
    })
}

/// Whether a `Date` can hold `ms`.
#[must_use]
pub fn valid_date(ms: f64) -> bool {
    ms.abs() <= LAST_DATE_MS
}

/// The first ten characters of `toISOString()`: the day in UTC, or, beyond the
/// years of four digits, a signed year of six and the month.
fn day(ms: f64) -> Option<String> {
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
    use crate::engine::json::RawValue;

    fn plain() -> Gaps<'static> {
        Gaps {
            missed: &[],
            facts_status: FactsStatus::Ok,
            facts_found: 1,
            searched: 3,
            oldest: None,
            cap: None,
            unreadable: 0,
            dropped: 0,
        }
    }

    #[test]
    fn every_sentence_in_its_order() {
        let gaps = Gaps {
            missed: &["a", "B c"],
            facts_found: 0,
            searched: 200,
            oldest: Some(1_700_000_000_000.0),
            cap: Some(200),
            unreadable: 2,
            dropped: 4,
            ..plain()
        };
        assert_eq!(
            gaps.sentences(),
            "No transcript match for: a, B c. No distilled facts matched. Searched 200 Session(s). \
             Oldest Session activity 2023-11-14. \
             Session scan capped at 200; older Sessions were not read. \
             2 Session(s) could not be read. 4 passage(s) did not fit the size limit."
        );
    }

    #[test]
    fn what_is_not_missing_is_not_told() {
        assert_eq!(plain().sentences(), "Searched 3 Session(s).");
        let gaps = Gaps { cap: Some(4), ..plain() };
        assert_eq!(gaps.sentences(), "Searched 3 Session(s).");
    }

    #[test]
    fn facts_that_are_not_there_and_facts_that_cannot_be_read() {
        let status = |facts_status| Gaps { facts_status, facts_found: 0, ..plain() }.sentences();
        let none = "No distilled facts matched. Searched 3 Session(s).";
        assert_eq!(status(FactsStatus::Ok), none);
        assert_eq!(status(FactsStatus::None), none);
        assert_eq!(
            status(FactsStatus::Unavailable),
            "The facts store is unavailable. Searched 3 Session(s)."
        );
    }

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

    #[test]
    fn activity_is_of_dates_that_a_date_can_hold() {
        let header = |last: &str| {
            let json = format!(r#"{{"id":"s","createdAt":5{last}}}"#);
            SessionHeader::read(RawValue::parse(json.as_bytes()).unwrap()).unwrap()
        };
        let headers = [
            header(r#","lastMessageAt":1700000000000"#),
            header(""),
            header(r#","lastMessageAt":9000000000000000"#),
            header(r#","lastMessageAt":1600000000000"#),
        ];
        assert_eq!(activity(&headers), (Some(1_600_000_000_000.0), Some(1_700_000_000_000.0)));
        assert_eq!(activity(&headers[1..3]), (None, None));
    }
}
