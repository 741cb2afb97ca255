//! The command.
fn main() {
    docent_packages::worker::run_if_worker();
}
