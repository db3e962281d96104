//! Folding, positions and windows.

use recall_native::engine::{
    limits::MARK,
    text::{
        Narrowing, Needle, Verdict, cut, fold, fold_into, fold_unstable, fold_unstable_bytes,
        spans, utf16_len, utf16_spans, window,
    },
};

use crate::support::{
    budget::rounds,
    prose::{long_text, part, respelled, text},
    random::Random,
};

fn any_text(random: &mut Random) -> String {
    match random.below(30) {
        0 => long_text(random, 6_000),
        _ => text(random, 24),
    }
}

#[test]
fn a_position_covers_what_was_found() {
    let mut hits = 0;
    rounds(2_000, |seed| {
        let mut random = Random::new(seed);
        let said = any_text(&mut random);
        let folded = fold(&said);
        assert_eq!(fold(&folded), folded, "{said:?}");
        let mut appended = "before ".to_owned();
        fold_into(&said, &mut appended);
        assert_eq!(appended.strip_prefix("before "), Some(&*folded), "{said:?}");
        assert_eq!(fold_unstable(&said), folded != said.to_ascii_lowercase(), "{said:?}");
        assert_eq!(fold_unstable_bytes(said.as_bytes()), fold_unstable(&said), "{said:?}");

        let drawn = part(&mut random, &said, 6);
        let drawn = respelled(&mut random, &drawn);
        let term = fold(&drawn).into_owned();
        let needle = Needle::new(&term);
        let found = spans(&said, &needle);
        assert_eq!(found.len(), needle.count(&folded), "{drawn:?} in {said:?}");
        for span in &found {
            let covered = said.get(span.clone());
            let covered = covered.unwrap_or_else(|| panic!("{span:?} of {said:?}"));
            covers(covered, &term, &said);
        }
        assert!(found.is_sorted_by_key(|span| span.start), "{drawn:?} in {said:?}");
        let units: Vec<u16> = said.encode_utf16().collect();
        for (span, (start, end)) in found.iter().zip(utf16_spans(&said, &found)) {
            let there = String::from_utf16(&units[start..end]).unwrap();
            assert_eq!(there, said[span.clone()], "{drawn:?} in {said:?}");
        }
        assert_eq!(utf16_len(&said), units.len());
        hits += found.len();

        if let Some(narrowing) = Narrowing::new(&[&term])
            && !found.is_empty()
        {
            assert_ne!(narrowing.verdict(said.as_bytes()), Verdict::No, "{drawn:?} in {said:?}");
        }
    });
    assert!(2_000 < hits, "{hits}");
}

/// A part of a text that holds a term does so alone, unless the case of a letter
/// or the place of a mark is decided by what stands around it.
#[track_caller]
fn covers(covered: &str, term: &str, said: &str) {
    let depends = |character: char| {
        matches!(character, 'Σ' | 'σ' | 'ς')
            || unicode_normalization::char::canonical_combining_class(character) != 0
    };
    if covered.chars().any(depends) || term.chars().any(depends) {
        assert!(!covered.is_empty());
        return;
    }
    assert!(fold(covered).contains(term), "{term:?} in {covered:?} of {said:?}");
}

#[test]
fn a_window_is_whole_and_within_its_size() {
    let mut cuts = 0;
    rounds(2_000, |seed| {
        let mut random = Random::new(seed);
        let said = any_text(&mut random);
        let most = random.below(said.len() + 20);
        let kept = cut(&said, most);
        assert!(said.starts_with(kept) && kept.len() <= most);

        let needle = Needle::new(&fold(&part(&mut random, &said, 5)));
        let found = spans(&said, &needle);
        let first = (!found.is_empty()).then(|| found[random.below(found.len())].clone());
        let capped = random.below(4) == 0;
        let window = window(&said, most, first.as_ref().map(|span| span.start), capped);
        assert!(window.shown.len() <= most.max(6), "{most} of {said:?}");
        assert_eq!(&said[window.start..window.start + window.body().len()], window.body());
        let all = window.body().len() == said.len();
        assert_eq!(window.truncated, !all || capped, "{most} of {said:?}");
        // Where three quarters of the size hold the match, the marks and the rest of a
        // character, it is shown. What fits but for the mark of an earlier cut
        // loses its end, wherever the match is.
        if let Some(span) = first
            && (!capped || most < said.len())
            && span.len() + 2 * MARK.len() + 3 <= most - most / 4
        {
            let shown = window.start..window.start + window.body().len();
            assert!(shown.start <= span.start && span.end <= shown.end, "{most} of {said:?}");
        }
        cuts += usize::from(window.truncated);
    });
    assert!(500 < cuts, "{cuts}");
}
