//! What is kept in memory.

use std::time::Duration;

use napi_derive::napi;

use super::number;
use crate::engine::{self, WarmReport};

/// What is kept of a workspace after `warm`.
#[napi(object, object_from_js = false)]
pub struct RecallWarmReport {
    /// Tells a report from a failure.
    #[napi(ts_type = "true")]
    pub ok: bool,
    /// Sessions that may be searched.
    pub sessions: f64,
    /// Sessions whose texts are kept: they answer from memory.
    pub sessions_held: f64,
    /// Sessions of which only signatures are kept: they are skipped from memory.
    pub sessions_outlined: f64,
    /// Sessions that are read from the database each time: those that cannot be
    /// read, those with old message rows, and all of the headers generation.
    pub sessions_left_out: f64,
    /// Bytes of searchable text kept of this workspace.
    pub text_bytes: f64,
    /// Bytes kept in the process.
    pub held_bytes: f64,
    /// Bytes that may be kept in the process.
    pub budget_bytes: f64,
    /// Whether the texts of every Session that can be kept are.
    pub complete: bool,
    /// Milliseconds it took.
    pub took_ms: f64,
}

/// What is kept in the process, and what that was good for.
#[napi(object, object_from_js = false)]
pub struct RecallStats {
    /// Workspaces that something is kept of.
    pub workspaces: f64,
    /// Bytes that may be kept.
    pub budget_bytes: f64,
    /// Bytes that are kept.
    pub held_bytes: f64,
    /// Bytes of searchable text among them.
    pub text_bytes: f64,
    /// Sessions whose texts are kept.
    pub sessions_held: f64,
    /// Sessions of which only signatures are kept.
    pub sessions_outlined: f64,
    /// Answers given from a workspace since the process began.
    pub answers: f64,
    /// Sessions that were answered from memory.
    pub hits: f64,
    /// Sessions that were skipped by their signatures.
    pub skips: f64,
    /// Sessions that the database was asked about.
    pub misses: f64,
    /// Sessions that were read in the background, or by `warm`.
    pub read_ahead: f64,
    /// Sessions whose texts were given up for room.
    pub evictions: f64,
    /// Milliseconds of the last answer, without the host's part.
    pub last_answer_ms: f64,
    /// Milliseconds of the search in it.
    pub last_scan_ms: f64,
    /// Calls that the callbacks answered in place of a workspace that could not
    /// be read: the slow way.
    pub fallbacks: f64,
    /// Why the last of them did.
    pub last_fallback: Option<String>,
}

impl From<WarmReport> for RecallWarmReport {
    fn from(report: WarmReport) -> Self {
        let WarmReport {
            sessions,
            sessions_held,
            sessions_outlined,
            sessions_left_out,
            text_bytes,
            held_bytes,
            budget_bytes,
            complete,
            took,
        } = report;
        Self {
            ok: true,
            sessions: number(sessions),
            sessions_held: number(sessions_held),
            sessions_outlined: number(sessions_outlined),
            sessions_left_out: number(sessions_left_out),
            text_bytes: number(text_bytes),
            held_bytes: number(held_bytes),
            budget_bytes: number(budget_bytes),
            complete,
            took_ms: milliseconds(took),
        }
    }
}

impl From<engine::RecallStats> for RecallStats {
    fn from(stats: engine::RecallStats) -> Self {
        let engine::RecallStats {
            workspaces,
            budget_bytes,
            held_bytes,
            text_bytes,
            sessions_held,
            sessions_outlined,
            answers,
            hits,
            skips,
            misses,
            read_ahead,
            evictions,
            last_answer,
            last_scan,
            fallbacks,
            last_fallback,
        } = stats;
        Self {
            workspaces: number(workspaces),
            budget_bytes: number(budget_bytes),
            held_bytes: number(held_bytes),
            text_bytes: number(text_bytes),
            sessions_held: number(sessions_held),
            sessions_outlined: number(sessions_outlined),
            answers: answers as f64,
            hits: hits as f64,
            skips: skips as f64,
            misses: misses as f64,
            read_ahead: read_ahead as f64,
            evictions: evictions as f64,
            last_answer_ms: milliseconds(last_answer),
            last_scan_ms: milliseconds(last_scan),
            fallbacks: fallbacks as f64,
            last_fallback,
        }
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}
