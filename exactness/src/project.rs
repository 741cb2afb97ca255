//! All dependencies of one project: reads those that have not been read, then asks questions to all
//! of them at once, and says how long each step takes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use docent_packages::worker::Isolation;
use docent_packages::{Ecosystem, Engine, Environment, PackageRef, Progress, Style, Target};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A folder with lockfiles
    #[arg(long)]
    project: PathBuf,
    /// The cache; what is in it is not read again
    #[arg(long)]
    cache: PathBuf,
    /// Packages that are worked on at once, as `docent index` does it
    #[arg(long, default_value_t = 4)]
    jobs: usize,
    /// Times that each question is asked
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Print what is found for each question
    #[arg(long)]
    show: bool,
}

/// What people ask before they know which package answers: words, symbols, and both.
const QUESTIONS: &[&str] = &[
    "parse a url",
    "open a file asynchronously",
    "spawn a task",
    "retry with backoff",
    "encode base64",
    "sha256 digest of bytes",
    "read an environment variable",
    "date difference in days",
    "resize an image",
    "debounce a function",
    "deep merge objects",
    "http client with timeout",
    "set a request header",
    "stream a response body",
    "websocket connection",
    "parse command line arguments",
    "validate an email address",
    "json schema validation",
    "serialize a struct to json",
    "yaml parser",
    "toml document",
    "regular expression replace all",
    "walk a directory recursively",
    "watch files for changes",
    "glob pattern match",
    "random number in a range",
    "generate a uuid",
    "semver range satisfies",
    "color terminal output",
    "progress bar",
    "log with levels",
    "template rendering",
    "markdown to html",
    "compress with gzip",
    "zip archive entries",
    "tls certificate verification",
    "mutex that can be awaited",
    "channel with bounded capacity",
    "iterate in chunks",
    "group by key",
    "binary search",
    "lru cache",
    "event emitter once",
    "cookie expires",
    "route parameters",
    "middleware order",
    "database connection pool",
    "mock a function in tests",
    "Client.close",
    "BTreeMap::range",
    "spawn_blocking",
    "toString",
    "from_str",
    "new",
    "error",
    "get value",
];

pub(crate) async fn run(arguments: &Arguments) -> Result<bool, String> {
    let project = arguments.project.canonicalize();
    let project = project.map_err(|error| format!("{}: {error}", arguments.project.display()))?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let engine = || {
        Engine::builder()
            .environment(Environment::of_process().in_directory(&project))
            .isolation(Isolation::Process(vec![program.clone().into_os_string()]))
            .cache(&arguments.cache)
            .build()
            .map_err(|error| error.to_string())
    };
    let reader = engine()?;
    let begin = Instant::now();
    let all = Ecosystem::all().flat_map(|ecosystem| reader.dependencies(ecosystem, &project));
    let all: Vec<PackageRef> = all.map(|(package, _)| package).collect();
    let failed = read(&reader, &project, all, arguments.jobs).await;
    println!("read in {:.1} s, {failed} failed", begin.elapsed().as_secs_f64());
    drop(reader);
    let folders = [project.clone()];
    let mut readied = Vec::new();
    // Once to make what is not there, and once with a new engine to read it.
    for what in ["names made", "names read"] {
        let engine = engine()?;
        let begin = Instant::now();
        let ready = engine.ready_project(&folders).await.map_err(|error| error.to_string())?;
        println!(
            "{what} in {:.1} ms: {} packages, {} unread",
            ms(begin.elapsed()),
            ready.ready,
            ready.unread.len()
        );
        readied.push(engine);
    }
    let engine = readied.pop().ok_or("no engine")?;
    let mut times = Vec::new();
    for question in QUESTIONS {
        let mut own = Vec::new();
        for _ in 0..arguments.rounds {
            let begin = Instant::now();
            let answer = engine.search_project(&folders, question, &Style::default()).await;
            own.push(begin.elapsed());
            let answer = answer.map_err(|error| error.to_string())?;
            if arguments.show && own.len() == 1 {
                let names: Vec<String> = answer
                    .results
                    .iter()
                    .take(4)
                    .map(|shown| format!("{} ({})", shown.name, shown.place))
                    .collect();
                println!("{question}: {}", names.join(" · "));
            }
        }
        times.append(&mut own);
    }
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    println!(
        "{} questions, ms: p50 {:.2}  p95 {:.2}  longest {:.2} (goal ≤ 10)",
        times.len(),
        ms(at(50)),
        ms(at(95)),
        ms(at(100)),
    );
    Ok(failed == 0)
}

/// Reads packages, so many at once; how many cannot be read.
async fn read(engine: &Engine, project: &Path, all: Vec<PackageRef>, jobs: usize) -> usize {
    let room = Arc::new(Semaphore::new(jobs.max(1)));
    let mut tasks = JoinSet::new();
    for package in all {
        let (engine, room) = (engine.clone(), Arc::clone(&room));
        let target = Target::new(package.clone()).in_project(project);
        tasks.spawn(async move {
            let _place = room.acquire_owned().await;
            let read = engine.load(&target, &Progress::default()).await;
            read.map(|_| ()).map_err(|error| println!("{package}: {error}")).is_err()
        });
    }
    tasks.join_all().await.into_iter().filter(|failed| *failed).count()
}

fn ms(time: Duration) -> f64 {
    1000.0 * time.as_secs_f64()
}
