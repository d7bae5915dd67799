//! The `visim` command; see [`visim::cli`].

fn main() -> std::process::ExitCode {
    visim::cli::main()
}
