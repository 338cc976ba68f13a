//! The address of a database server: unencrypted on this machine, over TLS elsewhere.
//!
//! Two modes of PostgreSQL's own programs are supported: `verify-full`, which checks the server's certificate and its
//! name, and `disable`. All other modes may fall back to no encryption, or do not check the name.

use std::net::IpAddr;

use postgres::config::{Host, SslMode};
use postgres::{Client, Config, NoTls};

use super::{told, whole};
use crate::{Error, Result};

/// A parsed address.
#[derive(Debug)]
struct Address {
    config: Config,
    is_encrypted: bool,
    /// File of the trusted certificates, if not the system's.
    roots: Option<String>,
}

fn refused(reason: impl std::fmt::Display) -> Error {
    Error::Operator(format!("the address of the database: {reason}"))
}

impl Address {
    /// Parses `postgres://USER:PASSWORD@HOST/DATABASE`, with options after a question mark.
    fn parse(url: &str) -> Result<Self> {
        if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(refused("it must begin with postgres://"));
        }
        let (place, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut mode, mut roots, mut others) = (None, None, Vec::new());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value),
                Some(("sslrootcert", value)) => roots = Some(value.to_owned()),
                _ => others.push(pair),
            }
        }
        let rest = match others.is_empty() {
            true => place.to_owned(),
            false => format!("{place}?{}", others.join("&")),
        };
        let parsed = rest.parse();
        let mut config: Config = parsed.map_err(|error: postgres::Error| refused(whole(&error)))?;
        let is_encrypted = match mode {
            Some("verify-full") => true,
            Some("disable") => false,
            None if is_here(&config) => false,
            None => {
                return Err(refused(
                    "it is on another machine, and the password would travel in the clear: add ?sslmode=verify-full, \
                     or ?sslmode=disable in an isolated network",
                ));
            }
            Some(mode) => {
                return Err(refused(format_args!(
                    "sslmode={mode} does not check the server: use verify-full, or disable in an isolated network"
                )));
            }
        };
        config.ssl_mode(if is_encrypted { SslMode::Require } else { SslMode::Disable });
        Ok(Self { config, is_encrypted, roots })
    }
}

/// Returns whether all hosts are this machine.
fn is_here(config: &Config) -> bool {
    let is_loopback = |name: &String| {
        name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    };
    let mut hosts = config.get_hosts().iter();
    config.get_hostaddrs().iter().all(IpAddr::is_loopback)
        && hosts.all(|host| match host {
            Host::Tcp(name) => is_loopback(name),
            #[cfg(unix)]
            Host::Unix(_) => true,
        })
}

/// Connects to the server at an address.
pub(super) fn connect(url: &str) -> Result<Client> {
    let address = Address::parse(url)?;
    match address.is_encrypted {
        true => encrypted::connect(&address),
        false => address.config.connect(NoTls).map_err(|error| told(&error)),
    }
}

/// TLS with the system's library.
#[cfg(feature = "postgres-tls")]
mod encrypted {
    use native_tls::{Certificate, Protocol, TlsConnector};
    use postgres::Client;
    use postgres_native_tls::MakeTlsConnector;

    use super::{Address, refused};
    use crate::Result;
    use crate::store::sql::postgres::told;

    pub(super) fn connect(address: &Address) -> Result<Client> {
        let mut builder = TlsConnector::builder();
        builder.min_protocol_version(Some(Protocol::Tlsv12));
        if let Some(path) = &address.roots {
            let text = std::fs::read(path)
                .map_err(|error| refused(format_args!("sslrootcert={path}: {error}")))?;
            let all = Certificate::stack_from_pem(&text)
                .map_err(|error| refused(format_args!("sslrootcert={path}: {error}")))?;
            builder.disable_built_in_roots(true);
            for root in all {
                builder.add_root_certificate(root);
            }
        }
        let tls = MakeTlsConnector::new(builder.build().map_err(refused)?);
        address.config.connect(tls).map_err(|error| told(&error))
    }
}

/// Placeholder for TLS in builds without the feature `postgres-tls`.
#[cfg(not(feature = "postgres-tls"))]
mod encrypted {
    use postgres::Client;

    use super::{Address, refused};
    use crate::Result;

    pub(super) fn connect(address: &Address) -> Result<Client> {
        let roots = address.roots.as_deref().unwrap_or("the system's");
        Err(refused(format_args!(
            "this program was built without TLS to PostgreSQL (certificates: {roots}): build it with \
             `--features postgres-tls`"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_go_in_the_clear_only_on_this_machine_or_if_told() {
        let here = [
            "postgres://u:p@localhost/d",
            "postgres://u@%2Frun%2Fpostgresql/d",
            "postgresql://u@[::1]:1/d",
        ];
        for url in here.into_iter().chain(["postgres://u:p@db/d?sslmode=disable&connect_timeout=3"])
        {
            let address = Address::parse(url).unwrap();
            assert_eq!(
                (address.is_encrypted, address.config.get_ssl_mode()),
                (false, SslMode::Disable),
                "{url}"
            );
        }
        let url = "postgres://u:p@db/d?connect_timeout=3&sslmode=verify-full&sslrootcert=/a/b.pem";
        let address = Address::parse(url).unwrap();
        assert_eq!((address.is_encrypted, address.config.get_ssl_mode()), (true, SslMode::Require));
        assert_eq!(address.roots.as_deref(), Some("/a/b.pem"));
        for (url, reason) in [
            ("postgres://u:p@db/d", "in the clear"),
            ("postgres://u:p@localhost,db/d", "in the clear"),
            ("postgres://u:p@localhost/d?hostaddr=10.0.0.1", "in the clear"),
            ("postgres://u:p@localhost/d?sslmode=require", "does not check the server"),
            ("postgres://u:p@db/d?sslmode=prefer", "does not check the server"),
            ("host=db user=u password=p", "postgres://"),
            ("postgres://u:p@db/d?sslmode=verify-full&nonsense=1", "nonsense"),
        ] {
            let error = Address::parse(url).unwrap_err().to_string();
            assert!(error.contains(reason) && !error.contains(":p@"), "{url}: {error}");
        }
    }
}
