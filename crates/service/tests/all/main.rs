//! Tests of the service and of its client, in one program, which is linked once.

#[path = "../support/mod.rs"]
mod support;

mod bad_clients;
mod bad_servers;
#[cfg(all(unix, feature = "postgres"))]
mod cluster;
mod contributions;
mod crowds;
#[cfg(all(unix, feature = "postgres"))]
mod databases;
mod expiry;
mod folders;
#[cfg(unix)]
mod killed;
mod lookups;
mod many_files;
mod operators;
mod owners;
mod turns;
mod workers;
