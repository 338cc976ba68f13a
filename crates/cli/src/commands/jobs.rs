//! Plans of the jobs that keys can be for, besides lookups in tables.

use anyhow::Result;
use clap::Args;

use super::planned_job::PlannedJob;
use super::{aes, bridge, circuit, compare, frame, integers, wide};
use crate::args::Global;
use crate::args::jobs::Job;

/// Plans a job.
pub fn plan<F: Args>(global: Global, job: &Job<F>) -> Result<PlannedJob> {
    match job {
        Job::Compare(it) => compare::plan(global, &it.job),
        Job::Integers(it) => integers::plan(global, &it.job),
        Job::Wide(it) => wide::plan(global, &it.job),
        Job::Bridge(it) => bridge::plan(global, &it.job),
        Job::Circuit(it) => circuit::plan(global, &it.job),
        Job::Program(it) => frame::plan(global, &it.job),
        Job::Aes(it) => aes::plan(&it.job),
    }
}
