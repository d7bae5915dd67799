//! The `visim` command; see [`visim::internals::cli`].

fn main() -> std::process::ExitCode {
    visim::internals::cli::main()
}
