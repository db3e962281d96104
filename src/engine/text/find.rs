//! Finding a folded term, and where in the unfolded text it stands.

use std::{iter, ops::Range};

use memchr::memmem::Finder;

use super::{
    cut::floor_boundary,
    fold::fold,
    space::utf16_len,
    stable::segments,
    trace::{Traced, trace},
};

/// A folded term, ready to be searched. An empty one stands nowhere.
#[derive(Clone, Debug)]
pub struct Needle(Finder<'static>);

impl Needle {
    /// Prepares `folded`, a term that was [folded](fold()).
    #[must_use]
    pub fn new(folded: &str) -> Self {
        Self(Finder::new(folded).into_owned())
    }

    /// Whether the term stands in a folded text.
    #[must_use]
    pub fn is_in(&self, folded: &str) -> bool {
        self.first(folded).is_some()
    }

    /// How often the term stands in a folded text, without overlaps.
    #[must_use]
    pub fn count(&self, folded: &str) -> usize {
        self.starts(folded).count()
    }

    /// The byte of a folded text where the term stands first.
    #[must_use]
    pub fn first(&self, folded: &str) -> Option<usize> {
        self.starts(folded).next()
    }

    /// Where the term stands in a folded text, without overlaps.
    fn starts<'a>(&'a self, folded: &'a str) -> impl Iterator<Item = usize> {
        // An empty term is searched in nothing and not found.
        let searched = if self.0.needle().is_empty() { None } else { Some(folded) };
        searched.into_iter().flat_map(|folded| self.0.find_iter(folded.as_bytes()))
    }
}

/// The bytes of `text` where the term stands in its fold, without overlaps and
/// in order. Each is the smallest span of whole code points whose folding covers
/// the hit, with the marks that compose into it.
#[must_use]
pub fn spans(text: &str, needle: &Needle) -> Vec<Range<usize>> {
    let folded = fold(text);
    let mut places = places(text, &folded).peekable();
    let mut spans = Vec::new();
    for start in needle.starts(&folded) {
        let hit = start..start + needle.0.needle().len();
        let mut span: Option<Range<usize>> = None;
        while let Some(place) = places.peek()
            && place.folded.start < hit.end
        {
            if hit.start < place.folded.end {
                let found = place.source(&hit);
                span = Some(match span {
                    Some(span) => span.start.min(found.start)..span.end.max(found.end),
                    None => found,
                });
            }
            // What reaches past this hit may hold the next one too.
            if hit.end < place.folded.end {
                break;
            }
            places.next();
        }
        spans.extend(span);
    }
    spans
}

/// `spans` of `text` in UTF-16 units, in the order given. Offsets inside a code
/// point count from its start, offsets past the end from the end.
#[must_use]
pub fn utf16_spans(text: &str, spans: &[Range<usize>]) -> Vec<(usize, usize)> {
    let mut bytes: Vec<usize> = spans.iter().flat_map(|span| [span.start, span.end]).collect();
    bytes.sort_unstable();
    bytes.dedup();
    let mut units = Vec::with_capacity(bytes.len());
    let (mut byte, mut unit) = (0, 0);
    for &wanted in &bytes {
        let wanted = floor_boundary(text, wanted);
        unit += utf16_len(&text[byte..wanted]);
        byte = wanted;
        units.push(unit);
    }
    let unit = |offset: usize| bytes.binary_search(&offset).map_or(0, |index| units[index]);
    spans.iter().map(|span| (unit(span.start), unit(span.end))).collect()
}

/// A part of a fold, and the part of the text it comes from.
struct Place {
    folded: Range<usize>,
    text: Range<usize>,
    kind: PlaceKind,
}

enum PlaceKind {
    /// Stable text: byte for byte the same places.
    Stable,
    /// One character of the fold.
    Character,
}

impl Place {
    /// Where the bytes of this place that `hit` covers come from.
    fn source(&self, hit: &Range<usize>) -> Range<usize> {
        match self.kind {
            PlaceKind::Character => self.text.clone(),
            PlaceKind::Stable => {
                let start = hit.start.max(self.folded.start) - self.folded.start;
                let end = hit.end.min(self.folded.end) - self.folded.start;
                self.text.start + start..self.text.start + end
            }
        }
    }
}

/// The places of `text` in the order of its fold: stable text at once, the rest
/// character by character.
fn places(text: &str, folded: &str) -> impl Iterator<Item = Place> {
    let (mut text_at, mut folded_at) = (0, 0);
    let end = iter::once(text.len()..text.len());
    segments(text, 0).chain(end).flat_map(move |segment| {
        let start = folded_at;
        folded_at += segment.start - text_at;
        let stable = Place {
            folded: start..folded_at,
            text: text_at..segment.start,
            kind: PlaceKind::Stable,
        };
        text_at = segment.end;
        // The segment's own fold starts here, with its sigmas in order.
        let sigmas = folded.get(folded_at..).unwrap_or_default().chars();
        let sigmas = sigmas.filter(|character| matches!(character, 'σ' | 'ς'));
        let characters = trace(&text[segment.clone()], segment.start, sigmas);
        let characters: Vec<Place> = characters
            .into_iter()
            .map(|Traced { character, source }| {
                let start = folded_at;
                folded_at += character.len_utf8();
                Place { folded: start..folded_at, text: source, kind: PlaceKind::Character }
            })
            .collect();
        iter::once(stable).chain(characters)
    })
}

#[cfg(test)]
mod tests {
    use unicode_normalization::char::canonical_combining_class;

    use super::*;
    use crate::engine::random::Random;

    fn found<'a>(text: &'a str, term: &str) -> Vec<&'a str> {
        let needle = Needle::new(&fold(term));
        spans(text, &needle).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn hits_do_not_overlap() {
        let needle = Needle::new("aa");
        assert_eq!((needle.count("aaaaa"), needle.first("baaaaa")), (2, Some(1)));
        assert!(needle.is_in("caab") && !needle.is_in("aba"));
        assert_eq!(found("AaaaA", "aa"), ["Aa", "aa"]);
    }

    #[test]
    fn an_empty_term_stands_nowhere() {
        let needle = Needle::new("");
        assert_eq!((needle.count("abc"), needle.first(""), needle.is_in("")), (0, None, false));
        assert_eq!(found("abc", ""), Vec::<&str>::new());
    }

    #[test]
    fn a_letter_that_grows_does_not_shift_what_follows() {
        assert_eq!(found("İrfan", "an"), ["an"]);
        let text = "İ".repeat(2) + &"uzun metin ".repeat(400) + "ONAYLANIR";
        let needle = Needle::new("onaylanir");
        let spans = spans(&text, &needle);
        assert_eq!(spans.iter().map(|span| span.start).collect::<Vec<_>>(), [text.len() - 9]);
        assert_eq!(found(&text, "onaylanir"), ["ONAYLANIR"]);
    }

    #[test]
    fn turkish_letters_are_lower_case_and_no_more() {
        let text = "TIME time İnş";
        assert_eq!(found(text, "i"), ["I", "i", "İ"]);
        assert_eq!(found(text, "I"), ["I", "i", "İ"]);
        assert_eq!(found(text, "İ"), ["İ"]);
        assert_eq!(found(text, "ı"), Vec::<&str>::new());
    }

    #[test]
    fn composed_and_decomposed_spellings_find_each_other() {
        let (nfc, nfd) = (
            "학점인정",
            "\u{1112}\u{1161}\u{11a8}\u{110c}\u{1165}\u{11b7}\u{110b}\u{1175}\u{11ab}\u{110c}\u{1165}\u{11bc}",
        );
        assert_eq!(found(nfc, nfd), [nfc]);
        assert_eq!(found(nfd, nfc), [nfd]);
        assert_eq!(found("ÉTÉ.txt", "été"), ["ÉTÉ"]);
        assert_eq!(found("E\u{301}TE\u{301}.txt", "ÉTÉ"), ["E\u{301}TE\u{301}"]);
    }

    #[test]
    fn the_final_sigma_is_the_one_of_the_whole_text() {
        assert_eq!(found("σοφός ΣΟΦΟΣ, ΣΟΦΟΣΑ", "οφος"), ["ΟΦΟΣ"]);
        assert_eq!(found("ΣΑΣ σς ΣΑΣ", "ς"), ["Σ", "ς", "Σ"]);
    }

    #[test]
    fn emoji_are_found_by_their_parts() {
        assert_eq!(found("👩\u{200d}💻 ⚓\u{fe0f}", "👩"), ["👩"]);
        assert_eq!(found("👩\u{200d}💻 ⚓\u{fe0f}", "⚓"), ["⚓"]);
        assert_eq!(found("ＡＢＣ１２３", "abc123"), Vec::<&str>::new());
    }

    /// The slow twin of [`spans`]: the whole text as one segment.
    fn slow(text: &str, folded: &str, term: &str) -> Vec<Range<usize>> {
        let sigmas = folded.chars().filter(|character| matches!(character, 'σ' | 'ς'));
        let mut at = 0;
        let places: Vec<(Range<usize>, Range<usize>)> = trace(text, 0, sigmas)
            .into_iter()
            .map(|Traced { character, source }| {
                at += character.len_utf8();
                (at - character.len_utf8()..at, source)
            })
            .collect();
        let starts = folded.match_indices(term).map(|(start, _)| start);
        let span = |start: usize| {
            let hit = start..start + term.len();
            let covered =
                places.iter().filter(|(place, _)| place.start < hit.end && hit.start < place.end);
            let sources: Vec<&Range<usize>> = covered.map(|(_, source)| source).collect();
            let first = sources.iter().map(|source| source.start).min().unwrap();
            first..sources.iter().map(|source| source.end).max().unwrap()
        };
        starts.map(span).collect()
    }

    #[test]
    fn segments_map_like_the_whole_text() {
        let mut random = Random::new(23);
        let mut hits = 0;
        for _ in 0..20_000 {
            let text = random.text(16);
            let folded = fold(&text);
            let Some(term) = random.part(&folded) else { continue };
            let needle = Needle::new(&term);
            let spans = spans(&text, &needle);
            assert_eq!(spans, slow(&text, &folded, &term), "{term:?} in {text:?}");
            assert_eq!(spans.len(), needle.count(&folded));
            assert_eq!(needle.count(&folded), folded.matches(&*term).count());
            assert_eq!(needle.first(&folded), folded.find(&*term));
            hits += spans.len();
        }
        assert!(20_000 < hits);
    }

    #[test]
    fn a_span_holds_its_term_and_no_smaller_one_does() {
        // Without marks that change their base, the span's own fold tells.
        let mut random = Random::new(29);
        for _ in 0..20_000 {
            let text: String = random
                .text(12)
                .chars()
                .filter(|c| *c != 'Σ' && canonical_combining_class(*c) == 0)
                .collect();
            let folded = fold(&text).into_owned();
            let Some(term) = random.part(&folded) else { continue };
            for span in spans(&text, &Needle::new(&term)) {
                let part = &text[span];
                assert!(fold(part).contains(&term), "{term:?} in {part:?} of {text:?}");
                let mut inner = part.chars();
                inner.next();
                assert!(!fold(inner.as_str()).contains(&term), "{term:?} in {part:?} of {text:?}");
            }
        }
    }

    #[test]
    fn a_long_segment_with_many_hits_maps_each_of_them() {
        let text = "ÉA\u{301}".repeat(5_000);
        let spans = spans(&text, &Needle::new("á"));
        let expected: Vec<_> = (0..5_000).map(|index| 5 * index + 2..5 * index + 5).collect();
        assert_eq!(spans, expected);
    }

    #[test]
    fn utf16_offsets_in_one_pass() {
        let text = "a模😀é";
        let bytes = [0..1, 1..8, 4..8, 8..10, 0..10];
        assert_eq!(utf16_spans(text, &bytes), [(0, 1), (1, 4), (2, 4), (4, 5), (0, 5)]);
        assert_eq!(utf16_spans(text, &[2..6, 9..99]), [(1, 2), (4, 5)]);
        assert_eq!(utf16_spans("", &[0..0, 1..2]), [(0, 0), (0, 0)]);
        assert_eq!(utf16_spans(text, &[]), []);
    }
}
