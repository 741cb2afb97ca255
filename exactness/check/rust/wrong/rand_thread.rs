// invented: thread_rng; right: rng
use rand::seq::SliceRandom;

fn main() {
    let mut names = vec!["ada", "grace", "edith"];
    names.shuffle(&mut rand::thread_rng());
    println!("{names:?} {}", rand::random::<u8>());
}
