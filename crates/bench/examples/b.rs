use clap::Parser;
#[derive(Parser)]
struct C {
    #[command(subcommand)]
    c: cryptable_bench::BenchCommand,
    #[arg(long, global = true, default_value_t = 1)]
    threads: usize,
}
fn main() {
    let c = C::parse();
    cryptable_bench::run(&c.c, c.threads, true).unwrap();
}
