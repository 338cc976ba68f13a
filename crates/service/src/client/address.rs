//! Addresses of servers, and what connects to them.

use std::net::IpAddr;
use std::time::Duration;

use ureq::Agent;
use ureq::http::Uri;

use super::error::{ClientError, Result};

/// How long is tried to connect once.
const CONNECT: Duration = Duration::from_secs(10);

/// How long a silent server is waited for: it checks keys of gigabytes meanwhile.
const PATIENCE: Duration = Duration::from_secs(900);

/// What connects to servers.
pub(super) fn agent() -> Agent {
    let builder = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(CONNECT))
        .timeout_recv_response(Some(PATIENCE))
        .allow_non_standard_methods(true);
    #[cfg(feature = "tls")]
    let builder = {
        use ureq::tls::{RootCerts, TlsConfig, TlsProvider};
        // Whom the system trusts.
        let roots = RootCerts::PlatformVerifier;
        let tls = TlsConfig::builder().provider(TlsProvider::NativeTls).root_certs(roots);
        builder.tls_config(tls.build())
    };
    builder.build().new_agent()
}

/// Demands an address that this build can use.
pub(super) fn check(url: &str) -> Result<()> {
    let refused = |reason| Err(ClientError::Address { url: url.to_owned(), reason });
    let uri = url.parse::<Uri>().ok().filter(|uri| uri.host().is_some_and(|host| !host.is_empty()));
    match uri.as_ref().and_then(Uri::scheme_str) {
        Some("http") => Ok(()),
        Some("https") if cfg!(feature = "tls") => Ok(()),
        Some("https") => refused(
            "this build speaks no TLS; one with the feature tls, or remote-tls of the program, does",
        ),
        _ if url.is_empty() => refused("it is empty; an address is as http://127.0.0.1:8080"),
        _ => refused("an address is as https://lookups.example or http://127.0.0.1:8080"),
    }
}

/// Whether what is sent there crosses a network as it is.
pub(super) fn is_exposed(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return true };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let is_loopback =
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    uri.scheme_str() != Some("https") && !is_loopback
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_apart() {
        for url in ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:80/path"] {
            assert!(check(url).is_ok() && !is_exposed(url), "{url}");
        }
        for url in ["http://10.0.0.5:8080", "http://lookups.example"] {
            assert!(check(url).is_ok() && is_exposed(url), "{url}");
        }
        assert_eq!(check("https://lookups.example").is_ok(), cfg!(feature = "tls"));
        assert!(!is_exposed("https://lookups.example"));
        for url in ["lookups.example", "ftp://lookups.example", "http://", "", "a b"] {
            assert!(check(url).is_err(), "{url}");
        }
    }
}
