//! Folding that remembers where every character comes from.

use std::ops::Range;

use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};

use super::fold::CAPITAL_SIGMA;

/// A folded character and the bytes of the text that make it: the smallest run
/// of whole characters that holds everything it was composed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Traced {
    pub(super) character: char,
    pub(super) source: Range<usize>,
}

/// The fold of `segment`, which stands at byte `at` of its text and folds on
/// its own. `sigmas` are the small sigmas of that fold, in order: which of the
/// two a capital becomes, the segment alone cannot tell.
pub(super) fn trace(
    segment: &str,
    at: usize,
    mut sigmas: impl Iterator<Item = char>,
) -> Vec<Traced> {
    let text = segment.char_indices().map(|(index, character)| Traced {
        character,
        source: at + index..at + index + character.len_utf8(),
    });
    let lowered = nfc(text).into_iter().flat_map(|Traced { character, source }| {
        let character = match character {
            CAPITAL_SIGMA | 'σ' | 'ς' => sigmas.next().unwrap_or(character),
            other => other,
        };
        character.to_lowercase().map(move |character| Traced { character, source: source.clone() })
    });
    nfc(lowered)
}

/// Canonical decomposition, canonical order, canonical composition.
fn nfc(text: impl Iterator<Item = Traced>) -> Vec<Traced> {
    let mut parts: Vec<(u8, Traced)> = Vec::new();
    for Traced { character, source } in text {
        decompose_canonical(character, |character| {
            let class = canonical_combining_class(character);
            parts.push((class, Traced { character, source: source.clone() }));
        });
    }
    for marks in parts.split_mut(|&(class, _)| class == 0) {
        marks.sort_by_key(|&(class, _)| class);
    }
    let mut out: Vec<Traced> = Vec::with_capacity(parts.len());
    let mut starter: Option<usize> = None;
    // The class of the last mark kept behind the starter.
    let mut kept: Option<u8> = None;
    for (class, part) in parts {
        let blocked = kept.is_some_and(|kept| class <= kept);
        if let Some(base) = starter.and_then(|starter| out.get_mut(starter))
            && !blocked
            && let Some(composite) = compose(base.character, part.character)
        {
            base.character = composite;
            base.source.start = base.source.start.min(part.source.start);
            base.source.end = base.source.end.max(part.source.end);
            continue;
        }
        if class == 0 {
            starter = Some(out.len());
            kept = None;
        } else {
            kept = Some(class);
        }
        out.push(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization;

    use super::*;
    use crate::engine::random::Random;

    #[test]
    fn the_characters_are_those_of_the_fold() {
        let mut random = Random::new(11);
        for _ in 0..20_000 {
            let text = random.text(12);
            let traced: String =
                trace(&text, 0, std::iter::empty()).iter().map(|part| part.character).collect();
            let fold: String = text.nfc().flat_map(char::to_lowercase).nfc().collect();
            assert_eq!(traced, fold, "{text:?}");
        }
    }

    #[test]
    fn a_character_remembers_all_that_composed_it() {
        let sources = |text: &str| -> Vec<(char, Range<usize>)> {
            trace(text, 0, std::iter::empty())
                .into_iter()
                .map(|part| (part.character, part.source))
                .collect()
        };
        assert_eq!(sources("I\u{307}"), [('i', 0..3), ('\u{307}', 0..3)]);
        assert_eq!(sources("a\u{302}\u{323}"), [('\u{1ead}', 0..5)]);
        // The dot below moves before the dot above.
        assert_eq!(sources("q\u{307}\u{323}"), [('q', 0..1), ('\u{323}', 3..5), ('\u{307}', 1..3)]);
        assert_eq!(sources("J\u{30c}"), [('\u{1f0}', 0..3)]);
        assert_eq!(sources("\u{1112}\u{1161}\u{11ab}"), [('한', 0..9)]);
    }
}
