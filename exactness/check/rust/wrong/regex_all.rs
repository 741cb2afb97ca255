// invented: find_all; right: find_iter
use regex::Regex;

fn words(text: &str) -> Vec<String> {
    let word = Regex::new(r"\w+").unwrap();
    word.find_all(text).map(|found| found.as_str().to_owned()).collect()
}

fn main() {
    println!("{:?}", words("one two"));
}
