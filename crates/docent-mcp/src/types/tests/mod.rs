//! The vocabulary against the official schemas and examples, and against itself.
//!
//! - `official`: finds and prepares the published files;
//! - `table`: every request, result and notification, and how a drawn value of it is encoded;
//! - `conformance`: what we encode is what the schemas allow, and no more;
//! - `examples`: the published examples survive a round trip;
//! - `roundtrip`: decoding undoes encoding, and unknown fields survive;
//! - `golden`: single rules, by example.

mod conformance;
mod examples;
mod golden;
mod official;
mod roundtrip;
mod table;
