//! A document as values, for the few that have to be changed and spelled again.
//!
//! `JSON.parse` and `JSON.stringify` of JavaScript: a duplicate key keeps its
//! first place and its last value, keys that are array indices come first in
//! ascending order, numbers lose their spelling. Strings are WTF-8, because a
//! lone surrogate survives the round trip as its escape.
//!
//! Nodes stand in one vector and children in another, so building, walking,
//! spelling and dropping are loops.

use std::{
    borrow::Cow,
    collections::{HashMap, hash_map::Entry},
    ops::Range,
};

use super::{Kind, RawValue, Token, number::push_number};

/// A parsed document.
#[derive(Clone, Debug)]
pub struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    children: Vec<Child<'a>>,
    root: usize,
    drops: bool,
}

#[derive(Clone, Debug)]
enum Node<'a> {
    Null,
    Bool(bool),
    Number(f64),
    String(Cow<'a, [u8]>),
    /// Its elements.
    Array(Range<usize>),
    /// Its members, in the order JavaScript enumerates them.
    Object(Range<usize>),
}

#[derive(Clone, Debug)]
struct Child<'a> {
    /// Empty in an array.
    key: Cow<'a, [u8]>,
    node: usize,
}

/// Members up to which looking at each is quicker than a table.
const FEW: usize = 16;

impl<'a> Tree<'a> {
    /// The values of `value`.
    #[must_use]
    pub fn parse(value: RawValue<'a>) -> Self {
        let mut tree = Self { nodes: Vec::new(), children: Vec::new(), root: 0, drops: false };
        // What is open, and the children so far of everything that is.
        let mut open: Vec<(Kind, Cow<'a, [u8]>, usize)> = Vec::new();
        let mut waiting: Vec<Child<'a>> = Vec::new();
        let mut key = Cow::Borrowed(&b""[..]);
        for token in value.walk() {
            let (key, node) = match token {
                Token::Key(name) => {
                    key = name.wtf8();
                    continue;
                }
                Token::Open(kind) => {
                    open.push((kind, std::mem::take(&mut key), waiting.len()));
                    continue;
                }
                Token::Scalar(value) => (std::mem::take(&mut key), scalar(value)),
                Token::Close => {
                    let Some((kind, key, first)) = open.pop() else { break };
                    let start = tree.children.len();
                    if kind == Kind::Object {
                        let members = waiting.len() - first;
                        enumerate(waiting.drain(first..), &mut tree.children);
                        tree.drops |= tree.children.len() - start < members;
                        (key, Node::Object(start..tree.children.len()))
                    } else {
                        tree.children.extend(waiting.drain(first..));
                        (key, Node::Array(start..tree.children.len()))
                    }
                }
            };
            tree.root = tree.nodes.len();
            tree.nodes.push(node);
            waiting.push(Child { key, node: tree.root });
        }
        tree
    }

    /// Whether the document holds values that stand in no member: earlier ones
    /// of a duplicate key.
    #[must_use]
    pub fn drops(&self) -> bool {
        self.drops
    }

    /// Gives every member whose key is `sealed` the string `seal` for a value,
    /// and every other string what `rewrite` makes of it (`None`: itself).
    /// Says whether anything was replaced. Keys and strings are WTF-8.
    pub fn replace(
        &mut self,
        sealed: impl Fn(&[u8]) -> bool,
        seal: &'static str,
        rewrite: impl Fn(&[u8]) -> Option<Vec<u8>>,
    ) -> bool {
        let seal_node = self.nodes.len();
        self.nodes.push(Node::String(Cow::Borrowed(seal.as_bytes())));
        let mut replaced = false;
        let mut due = vec![self.root];
        while let Some(node) = due.pop() {
            match &mut self.nodes[node] {
                Node::String(text) => {
                    if let Some(other) = rewrite(text) {
                        *text = Cow::Owned(other);
                        replaced = true;
                    }
                }
                Node::Array(range) => {
                    due.extend(self.children[range.clone()].iter().map(|child| child.node));
                }
                Node::Object(range) => {
                    for child in &mut self.children[range.clone()] {
                        if sealed(&child.key) {
                            child.node = seal_node;
                            replaced = true;
                        } else {
                            due.push(child.node);
                        }
                    }
                }
                Node::Null | Node::Bool(_) | Node::Number(_) => {}
            }
        }
        replaced
    }

    /// The document as `JSON.stringify` spells it.
    #[must_use]
    pub fn stringify(&self) -> String {
        let mut out = String::new();
        let mut open: Vec<Frame> = Vec::new();
        let mut due = self.nodes.get(self.root);
        while let Some(node) = due {
            match node {
                Node::Null => out.push_str("null"),
                Node::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
                Node::Number(number) => push_number(*number, &mut out),
                Node::String(text) => push_string(text, &mut out),
                Node::Array(range) => {
                    out.push('[');
                    open.push(Frame { first: range.start, rest: range.clone(), close: ']' });
                }
                Node::Object(range) => {
                    out.push('{');
                    open.push(Frame { first: range.start, rest: range.clone(), close: '}' });
                }
            }
            due = self.next_child(&mut open, &mut out);
        }
        out
    }

    /// The node that is spelled next, once everything that has ended is closed.
    fn next_child(&self, open: &mut Vec<Frame>, out: &mut String) -> Option<&Node<'a>> {
        loop {
            let Frame { first, rest, close } = open.last_mut()?;
            let Some(child) = rest.next() else {
                out.push(*close);
                open.pop();
                continue;
            };
            if child != *first {
                out.push(',');
            }
            let Child { key, node } = &self.children[child];
            if *close == '}' {
                push_string(key, out);
                out.push(':');
            }
            return self.nodes.get(*node);
        }
    }
}

/// A container that is being spelled.
struct Frame {
    first: usize,
    rest: Range<usize>,
    close: char,
}

fn scalar(value: RawValue<'_>) -> Node<'_> {
    match value.kind() {
        Kind::String => {
            Node::String(value.raw_string().map(|text| text.wtf8()).unwrap_or_default())
        }
        Kind::Number => Node::Number(value.number().unwrap_or(f64::NAN)),
        Kind::Bool => Node::Bool(value.bool() == Some(true)),
        Kind::Null | Kind::Array | Kind::Object => Node::Null,
    }
}

/// Appends the members of one object to `children` as JavaScript enumerates
/// them.
fn enumerate<'a>(members: impl ExactSizeIterator<Item = Child<'a>>, children: &mut Vec<Child<'a>>) {
    let start = children.len();
    if members.len() <= FEW {
        for member in members {
            match children[start..].iter_mut().find(|other| other.key == member.key) {
                Some(first) => first.node = member.node,
                None => children.push(member),
            }
        }
    } else {
        let mut places: HashMap<Cow<'a, [u8]>, usize> = HashMap::with_capacity(members.len());
        for member in members {
            match places.entry(member.key.clone()) {
                Entry::Occupied(place) => children[*place.get()].node = member.node,
                Entry::Vacant(place) => {
                    place.insert(children.len());
                    children.push(member);
                }
            }
        }
    }
    // Stable: names without an index keep their order, behind those with one.
    if children[start..].iter().any(|member| array_index(&member.key).is_some()) {
        children[start..].sort_by_key(|member| array_index(&member.key).unwrap_or(u32::MAX));
    }
}

/// The array index that `key` spells: `0` to 2³² − 2, without leading zeros.
fn array_index(key: &[u8]) -> Option<u32> {
    if !matches!(key, [b'0'] | [b'1'..=b'9', ..]) {
        return None;
    }
    let index: u32 = std::str::from_utf8(key).ok()?.parse().ok()?;
    (index < u32::MAX).then_some(index)
}

/// `text` as it stands between the quotes of its `JSON.stringify`.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    push_string(text.as_bytes(), &mut quoted);
    quoted[1..quoted.len() - 1].to_owned()
}

/// How many bytes [`escaped`] takes for a byte of UTF-8.
#[must_use]
pub(in crate::engine) fn escaped_len(byte: u8) -> u8 {
    const LENGTHS: [u8; 256] = {
        let mut lengths = [1; 256];
        let mut byte = 0;
        while byte < 128 {
            lengths[byte as usize] = match short_escape(byte) {
                Some(escape) => escape.len() as u8,
                None if byte < 0x20 => LONG_ESCAPE,
                None => 1,
            };
            byte += 1;
        }
        lengths
    };
    LENGTHS[usize::from(byte)]
}

/// Bytes of `\u001f`, which spells a control character that has no short escape.
const LONG_ESCAPE: u8 = 6;

const fn short_escape(byte: u8) -> Option<&'static str> {
    Some(match byte {
        b'"' => "\\\"",
        b'\\' => "\\\\",
        b'\n' => "\\n",
        b'\t' => "\\t",
        b'\r' => "\\r",
        0x08 => "\\b",
        0x0c => "\\f",
        _ => return None,
    })
}

/// Appends a WTF-8 string between quotes.
fn push_string(text: &[u8], out: &mut String) {
    out.push('"');
    let mut rest = text;
    loop {
        let plain = rest.iter().position(|&byte| may_need_escape(byte)).unwrap_or(rest.len());
        // Valid UTF-8: what is not is escaped.
        out.push_str(&String::from_utf8_lossy(&rest[..plain]));
        rest = match &rest[plain..] {
            [] => break,
            [byte @ (0..0x20 | b'"' | b'\\'), rest @ ..] => match short_escape(*byte) {
                Some(escape) => push_escape(escape, rest, out),
                None => push_escape(&format!("\\u{byte:04x}"), rest, out),
            },
            [0xed, second @ 0xa0..=0xbf, third, rest @ ..] => {
                let low = u32::from(second & 0x3f) << 6 | u32::from(third & 0x3f);
                push_escape(&format!("\\u{:04x}", 0xd000 | low), rest, out)
            }
            [_, ..] => {
                // A Hangul syllable, three bytes like its neighbours.
                let (syllable, rest) = rest[plain..].split_at(3.min(rest.len() - plain));
                out.push_str(&String::from_utf8_lossy(syllable));
                rest
            }
        };
    }
    out.push('"');
}

fn push_escape<'t>(escape: &str, rest: &'t [u8], out: &mut String) -> &'t [u8] {
    out.push_str(escape);
    rest
}

/// 0xED begins the surrogates, and the Hangul syllables before them.
fn may_need_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\' || byte == 0xed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn test(text: &str, spelled: &str) {
        let value = RawValue::parse(text.as_bytes()).unwrap();
        assert_eq!(Tree::parse(value).stringify(), spelled);
    }

    #[test]
    fn spelled_as_javascript_does() {
        test(" [ ] ", "[]");
        test("{ }", "{}");
        test(r#"[1.50, {"a" : [null,true,false]}, "x"]"#, r#"[1.5,{"a":[null,true,false]},"x"]"#);
        test("[1e21,-0,1e999,-1e999,1E2]", "[1e+21,0,null,null,100]");
        test(r#" "a\u0062\/" "#, r#""ab/""#);
        test("-0", "0");
    }

    #[test]
    fn strings_are_escaped_where_javascript_does() {
        test(
            r#""\u0000\u001f\b\t\n\f\r\"\\\u007f\u2028/é模😀""#,
            "\"\\u0000\\u001f\\b\\t\\n\\f\\r\\\"\\\\\u{7f}\u{2028}/é模😀\"",
        );
        test(
            r#"["\uD83D","\ude00x","\ud83d\ude00","\ud7ff"]"#,
            "[\"\\ud83d\",\"\\ude00x\",\"😀\",\"\u{d7ff}\"]",
        );
        test(r#"{"\ud83d":1}"#, r#"{"\ud83d":1}"#);
    }

    #[test]
    fn a_duplicate_key_keeps_its_first_place_and_its_last_value() {
        test(r#"{"a":1,"b":2,"\u0061":[3]}"#, r#"{"a":[3],"b":2}"#);
        test(r#"{"__proto__":1,"a":2,"__proto__":3}"#, r#"{"__proto__":3,"a":2}"#);
    }

    #[test]
    fn an_object_of_many_members_is_no_different() {
        let member = |at: usize| format!("\"{}\":{at}", ["b", "a"][at % 2].repeat(1 + at % 40));
        let all: Vec<String> = (0..400).map(member).collect();
        let last: Vec<String> = (0..40)
            .map(|at| member(at).replacen(&format!(":{at}"), &format!(":{}", 360 + at), 1))
            .collect();
        test(&format!("{{{}}}", all.join(",")), &format!("{{{}}}", last.join(",")));
    }

    #[test]
    fn array_indices_come_first_in_ascending_order() {
        test(
            r#"{"b":1,"10":2,"9":3,"a":4,"01":5,"-1":6,"4294967294":7,"4294967295":8,"0":9}"#,
            r#"{"0":9,"9":3,"10":2,"4294967294":7,"b":1,"a":4,"01":5,"-1":6,"4294967295":8}"#,
        );
    }

    #[test]
    fn members_are_sealed_and_strings_rewritten() {
        let text = r#"{"k":{"deep":"x"},"a":["x",{"k":1,"b":"y"}],"dropped":"x","dropped":2}"#;
        let mut tree = Tree::parse(RawValue::parse(text.as_bytes()).unwrap());
        let rewrite = |text: &[u8]| (text == b"x").then(|| b"z".to_vec());
        assert!(tree.replace(|key| key == b"k", "#", rewrite));
        assert_eq!(tree.stringify(), r##"{"k":"#","a":["z",{"k":"#","b":"y"}],"dropped":2}"##);
        assert!(!tree.replace(|_| false, "#", |_| None));
    }

    #[test]
    fn depth_is_bounded_by_memory_alone() {
        let deep = 100_000;
        let text = "[{\"a\":".repeat(deep) + "\"x\"" + &"}]".repeat(deep);
        let mut tree = Tree::parse(RawValue::parse(text.as_bytes()).unwrap());
        assert_eq!(tree.stringify(), text);
        assert!(tree.replace(|_| false, "#", |_| Some(b"y".to_vec())));
        assert_eq!(tree.stringify(), text.replace('x', "y"));
    }
}
