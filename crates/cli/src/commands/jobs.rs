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
        Job::Compare { job, .. } => compare::plan(global, job),
        Job::Integers { job, .. } => integers::plan(global, job),
        Job::Wide { job, .. } => wide::plan(global, job),
        Job::Bridge { job, .. } => bridge::plan(global, job),
        Job::Circuit { job, .. } => circuit::plan(global, job),
        Job::Program { job, .. } => frame::plan(global, job),
        Job::Aes { job, .. } => aes::plan(job),
    }
}
