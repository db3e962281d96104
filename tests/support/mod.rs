//! What tests build their workspaces with.

#![allow(dead_code, reason = "every test uses another part of it")]

pub(crate) mod budget;
pub(crate) mod events;
pub(crate) mod generate;
pub(crate) mod golden;
pub(crate) mod host;
pub(crate) mod messages;
pub(crate) mod mutate;
pub(crate) mod prose;
pub(crate) mod query;
pub(crate) mod random;
pub(crate) mod results;
pub(crate) mod schema;
pub(crate) mod secrets;
pub(crate) mod workspace;
