//! What the engine does, seen from outside.

mod outline; // fixtures: the files of a package, and the items and prose that are found in it
