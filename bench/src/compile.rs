//! What it costs to build each server: CPU seconds and crates.
//!
//! The package of a server is the one named like its program. Each is built alone, because cargo
//! unites the features of packages that it builds together.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use serde_json::Value;

use crate::args;
use crate::measures::Samples;
use crate::{Result, proc};

/// Rebuilds after a touch; the median counts.
const TOUCHES: usize = 3;

struct Cost {
    clean_cpu_s: f64,
    touch_cpu_s: Vec<f64>,
    dependencies: usize,
}

/// Measures each package once and books it for every server that it provides.
pub(crate) fn measure(options: &args::Comparison, results: &mut [Samples]) -> Result<()> {
    let metadata = metadata()?;
    let mut known: Vec<(&str, Cost)> = Vec::new();
    for (spec, samples) in options.servers.iter().zip(results) {
        let Some(package) = spec.program.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let Some(main) = main_of(&metadata, package) else {
            eprintln!("{}: no package {package} in this workspace", spec.name);
            continue;
        };
        if !known.iter().any(|(name, _)| *name == package) {
            eprintln!("building {package}");
            known.push((package, build(package, &main, &options.out)?));
        }
        for (_, cost) in known.iter().filter(|(name, _)| *name == package) {
            samples.add("build_clean_cpu_s", cost.clean_cpu_s);
            cost.touch_cpu_s.iter().for_each(|&seconds| samples.add("build_touch_cpu_s", seconds));
            samples.add("dependencies", cost.dependencies as f64);
        }
    }
    Ok(())
}

fn build(package: &str, main: &Path, out: &Path) -> Result<Cost> {
    let target = out.join(format!("build-{package}"));
    remove(&target)?;
    let clean_cpu_s = release_build(package, &target)?;
    let mut touch_cpu_s = Vec::new();
    for _ in 0..TOUCHES {
        fs::File::options().append(true).open(main)?.set_modified(SystemTime::now())?;
        touch_cpu_s.push(release_build(package, &target)?);
    }
    remove(&target)?;
    Ok(Cost { clean_cpu_s, touch_cpu_s, dependencies: dependencies(package)? })
}

fn remove(directory: &Path) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    Ok(())
}

/// Builds and returns the CPU seconds of cargo, every compiler and the linker.
fn release_build(package: &str, target: &Path) -> Result<f64> {
    let before = proc::children_cpu()?;
    let status = cargo()
        .args(["build", "--quiet", "--release", "--package", package, "--target-dir"])
        .arg(target)
        .status()?;
    if !status.success() {
        return Err(format!("cargo build of {package}: {status}").into());
    }
    Ok((proc::children_cpu()? - before).as_secs_f64())
}

/// Distinct crates, at their versions, that a package needs to be built and to run.
fn dependencies(package: &str) -> Result<usize> {
    let tree = output(cargo().args([
        "tree",
        "--edges",
        "normal,build",
        "--prefix",
        "none",
        "--format",
        "{p}",
        "--package",
        package,
    ]))?;
    let crates = tree.lines().map(|line| line.trim_end_matches(" (*)"));
    let mut crates: Vec<&str> = crates.filter(|line| !line.is_empty()).skip(1).collect();
    crates.sort_unstable();
    crates.dedup();
    Ok(crates.len())
}

fn metadata() -> Result<Value> {
    let text = output(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    Ok(serde_json::from_str(&text)?)
}

/// The source file of a package's binary.
fn main_of(metadata: &Value, package: &str) -> Option<PathBuf> {
    let packages = metadata["packages"].as_array()?;
    let package = packages.iter().find(|candidate| candidate["name"] == package)?;
    let targets = package["targets"].as_array()?;
    let binary = targets.iter().find(|target| target["kind"][0] == "bin")?;
    Some(binary["src_path"].as_str()?.into())
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
