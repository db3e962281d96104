//! What tests build their workspaces with.

#![allow(dead_code, reason = "every test uses another part of it")]

pub(crate) mod golden;
pub(crate) mod random;
pub(crate) mod schema;
pub(crate) mod workspace;
