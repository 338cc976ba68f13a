//! placeholder
use clap::Args;
#[derive(Debug, Args)]
pub struct PrimitivesArguments {}
pub fn run(_: &PrimitivesArguments, _: usize, _: bool) -> anyhow::Result<()> { Ok(()) }
