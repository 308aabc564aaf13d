//! The program `passage`.

fn main() -> std::process::ExitCode {
    passage::cli::main()
}
