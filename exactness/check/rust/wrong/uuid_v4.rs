// invented: v4; right: new_v4
use std::collections::HashMap;

use uuid::Uuid;

#[derive(Default)]
struct Registry {
    names: HashMap<Uuid, String>,
}

impl Registry {
    fn add(&mut self, name: &str) -> Uuid {
        let id = Uuid::v4();
        self.names.insert(id, name.to_owned());
        id
    }
}

fn main() {
    let mut registry = Registry::default();
    println!("{}", registry.add("one").hyphenated());
}
