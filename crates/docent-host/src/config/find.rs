//! Which configuration files there are on a machine.

use std::path::{Path, PathBuf};

use super::dialect::{Base, Dialect, Place, ROWS};
use super::entry::{Client, Scope};
use super::machine::Machine;

/// A file that a client reads.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    pub(crate) client: Client,
    pub(crate) scope: Scope,
    /// How far above the working folder it stands, if it is a project's.
    pub(crate) height: usize,
    /// The project's folder that it belongs to; for other files, the project that is worked in.
    pub(crate) folder: PathBuf,
}

/// Every file that exists, those that win first.
pub(crate) fn find(machine: &Machine) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for (dialect, place) in places(machine) {
        for (height, folder, path) in paths(machine, place) {
            // From the home folder, a user's file looks like a project's, too.
            match found.iter_mut().find(|other| other.path == path) {
                Some(other) => other.scope = other.scope.max(place.scope),
                None if path.is_file() => {
                    let (client, scope) = (dialect.client, place.scope);
                    found.push(Found { path, client, scope, height, folder });
                }
                None => {}
            }
        }
    }
    // Stable: rows and places keep their order.
    found.sort_by_key(|file| (file.scope, file.height));
    found
}

/// The places that count on this platform.
fn places(machine: &Machine) -> impl Iterator<Item = (&'static Dialect, &'static Place)> {
    let platform = machine.platform();
    ROWS.iter()
        .flat_map(|row| row.places.iter().map(move |place| (row, place)))
        .filter(move |(_, place)| place.only.is_none_or(|only| only == platform))
}

/// Where a place is: height above the working folder, the project's folder, the file.
fn paths(machine: &Machine, place: &Place) -> Vec<(usize, PathBuf, PathBuf)> {
    let set = |name: &str| machine.variable(name).filter(|value| !value.is_empty());
    let base = match place.base {
        Base::Project => {
            let folders = machine.project_folders().into_iter().enumerate();
            let path = |(height, folder): (usize, PathBuf)| {
                let path = folder.join(place.path);
                (height, folder, path)
            };
            return folders.map(path).collect();
        }
        Base::Home => machine.home().map(Path::to_owned),
        Base::Variable(name, folder) => match set(name) {
            Some(folder) => Some(PathBuf::from(folder)),
            None => machine.home().map(|home| home.join(folder)),
        },
        Base::File(name) => {
            let file = set(name).map(PathBuf::from);
            return file.into_iter().map(|file| (0, machine.project_root(), file)).collect();
        }
        Base::ApplicationData => machine.application_data(),
        Base::DotConfig => machine.dot_config(),
        Base::Own => {
            let set = set("DOCENT_CONFIG").map(|file| machine.directory().join(file));
            let file = set.or_else(|| Some(machine.own_folder()?.join(place.path)));
            return file.into_iter().map(|file| (0, machine.project_root(), file)).collect();
        }
        Base::Root => Some(machine.root().to_owned()),
    };
    let path = base.map(|base| (0, machine.project_root(), base.join(place.path)));
    path.into_iter().collect()
}

/// Where a client's file of the given scope stands or would stand, for whoever writes one.
pub(crate) fn place_for(machine: &Machine, client: Client, scope: Scope) -> Option<PathBuf> {
    let mut all = places(machine)
        .filter(|(dialect, place)| dialect.client == client && place.scope == scope)
        .flat_map(|(_, place)| paths(machine, place))
        .map(|(_, _, path)| path);
    let first = all.next()?;
    if first.is_file() {
        Some(first)
    } else {
        Some(all.find(|path| path.is_file()).unwrap_or(first))
    }
}

/// Whose file this is, by its name, for one that the user named.
pub(crate) fn owner(path: &Path) -> Option<Client> {
    let ends = |place: &Place| !place.path.is_empty() && path.ends_with(place.path);
    let row = ROWS.iter().find(|row| row.places.iter().any(ends))?;
    Some(row.client)
}
