//! Writes the seeds of all targets into folders of their names: `cargo run -p cryptable-fuzz --example seeds -- FOLDER`.

use std::path::PathBuf;

use cryptable_fuzz::targets::TARGETS;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args_os().nth(1).expect("a folder"));
    for target in TARGETS {
        let corpus = folder.join(target.name).join("corpus");
        std::fs::create_dir_all(&corpus)?;
        for (index, seed) in (target.seeds)().into_iter().enumerate() {
            std::fs::write(corpus.join(format!("seed-{index}")), seed)?;
        }
    }
    Ok(())
}
