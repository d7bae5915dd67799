//! visim and other implementations on the same work, in turn, and one table of the ratios.

use super::Wanted;
use super::work::WORK;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The middle value.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// A driver: what it is, its words, its environment.
struct Driver {
    command: Command,
    what: String,
}

fn driver(program: &Path, words: &[&str], environment: &[(&str, &str)]) -> Option<Driver> {
    let what = format!("{} {}", program.display(), words.join(" "));
    if !program.is_file() {
        eprintln!("skipped, no such driver: {what}");
        return None;
    }
    let mut command = Command::new(program);
    command.args(words).envs(environment.iter().copied());
    Some(Driver { command, what })
}

/// The drivers that are there, each with what it takes to run on so many threads.
fn drivers(folder: &Path, wanted: &Wanted) -> Vec<Driver> {
    let threads = wanted.threads.to_string();
    let kernels = format!("{}/ocl/kernels.cl", wanted.tools);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/kernels/compute.cl");
    let own = own.display().to_string();
    let shaders = folder.join("spv").display().to_string();
    let pocl = [
        ("OCL_ICD_VENDORS", "pocl.icd"),
        ("POCL_MAX_PTHREAD_COUNT", threads.as_str()),
    ];
    let icd = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
    let lavapipe = [
        ("VK_ICD_FILENAMES", icd),
        ("LP_NUM_THREADS", threads.as_str()),
    ];
    let ocl = |peer: &'static str, environment: &[(&str, &str)]| {
        let images = ["--peer", peer, "--cl", &kernels];
        let buffers = ["--peer", peer, "--cl", &own];
        let images = driver(&folder.join("ocl_bench"), &images, environment);
        let buffers = driver(&folder.join("compute"), &buffers, environment);
        images.into_iter().chain(buffers)
    };
    let mut all: Vec<Driver> = ocl("pocl", &pocl).collect();
    if let Ok(library) = std::env::var("INTEL_OCL_LIB") {
        let vendors = folder.join("icd-intel");
        let text = format!("{library}/libintelocl.so\n");
        let written = std::fs::create_dir_all(&vendors)
            .and_then(|()| std::fs::write(vendors.join("intel.icd"), text));
        written.unwrap_or_else(|e| panic!("{}: {e}", vendors.display()));
        let vendors = format!("{}/", vendors.display());
        let intel = [
            ("OCL_ICD_VENDORS", vendors.as_str()),
            ("LD_LIBRARY_PATH", &library),
            ("DPCPP_CPU_NUM_CUS", &threads),
        ];
        all.extend(ocl("intel-cpu", &intel));
    }
    let vulkan = ["--peer", "lavapipe", "--spv", &shaders];
    all.extend(driver(&folder.join("vk_bench"), &vulkan, &lavapipe));
    all.extend(driver(&folder.join("scale_c"), &[], &[]));
    let this = std::env::current_exe().expect("a program has a path");
    all.extend(driver(&this, &["--json"], &[]));
    all
}

/// What one implementation needed for one work.
#[derive(Default)]
struct Times {
    /// Nanoseconds for each unit, of every repetition.
    each: Vec<f64>,
    sum: f64,
}

fn read(line: &str) -> Option<(String, String, f64, Vec<f64>)> {
    let line: Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| line[name].as_str().map(str::to_owned);
    let per = line
        .as_object()?
        .iter()
        .find(|(name, _)| name.starts_with("ns_per_"))?;
    // The unit's own number is rounded; seconds are not.
    let units = line["median"].as_f64()? / per.1.as_f64()? * 1e9;
    let seconds = line["seconds"].as_array()?.iter().filter_map(Value::as_f64);
    let each = seconds.map(|s| s / units * 1e9).collect();
    Some((
        text("workload")?,
        text("peer")?,
        line["sum"].as_f64()?,
        each,
    ))
}

/// Runs all of them in turn and prints the table.
pub fn compare(folder: &str, wanted: &Wanted) {
    let (reps, threads) = (wanted.reps.to_string(), wanted.threads.to_string());
    let work: Vec<&str> = wanted.work().map(|work| work.workload).collect();
    let only = work.join(",");
    let mut times: BTreeMap<(String, String), Times> = BTreeMap::new();
    for round in 0..wanted.rounds {
        for mut one in drivers(Path::new(folder), wanted) {
            let words = ["--reps", &reps, "--threads", &threads, "--only", &only];
            let output = one.command.args(words).output();
            let output = output.unwrap_or_else(|e| panic!("{}: {e}", one.what));
            if !output.status.success() {
                let why = String::from_utf8_lossy(&output.stderr);
                eprintln!("round {round}: {} failed: {}", one.what, why.trim());
            }
            for line in String::from_utf8_lossy(&output.stdout).lines() {
                if let Some((workload, peer, sum, each)) = read(line) {
                    let times = times.entry((workload, peer)).or_default();
                    times.each.extend(each);
                    times.sum = sum;
                }
            }
        }
    }
    println!("| work | who | ns a unit, median | spread | sum | peer ÷ skl | peer ÷ bmg |");
    println!("|---|---|---|---|---|---|---|");
    for work in WORK.iter().filter(|work| wanted.has(work)) {
        let of = |peer: &str| times.get(&(work.workload.to_string(), peer.to_string()));
        let ours = ["visim-skl", "visim-bmg"].map(|peer| of(peer).map(|t| median(&t.each)));
        let peers = times
            .iter()
            .filter(|((workload, _), _)| workload == work.workload);
        let mut rows: Vec<_> = peers
            .map(|((_, peer), t)| (median(&t.each), peer, t))
            .collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (ns, peer, t) in rows {
            let least = t.each.iter().copied().fold(f64::INFINITY, f64::min);
            let most = t.each.iter().copied().fold(0.0, f64::max);
            let ratio = ours.map(|ours| match (ours, peer.starts_with("visim")) {
                (Some(ours), false) => format!("{:.2}", ns / ours),
                _ => String::new(),
            });
            println!(
                "| {} | {peer} | {ns:.4} | {least:.4} to {most:.4} | {:.8} | {} | {} |",
                work.workload, t.sum, ratio[0], ratio[1]
            );
        }
    }
}
