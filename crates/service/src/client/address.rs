//! Checks of server addresses, and the agent that connects to them.

use std::net::IpAddr;
use std::time::Duration;

use ureq::Agent;
use ureq::http::Uri;

use super::error::{ClientError, Result};

/// Longest time for one attempt to connect.
const CONNECT: Duration = Duration::from_secs(10);

/// Longest wait for an answer; a server may spend minutes on checking a key of gigabytes.
const PATIENCE: Duration = Duration::from_secs(900);

/// Creates the agent that connects to a server. It uses proxies of the environment only for other machines, since a
/// proxy on the way to this machine would see the token unencrypted. It does not follow redirects, since their targets
/// were not checked.
pub(super) fn agent(url: &str) -> Agent {
    let builder = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_connect(Some(CONNECT))
        .timeout_recv_response(Some(PATIENCE))
        .allow_non_standard_methods(true);
    #[cfg(feature = "tls")]
    let builder = {
        use ureq::tls::{RootCerts, TlsConfig, TlsProvider};
        // Trust the certificates that the system trusts.
        let roots = RootCerts::PlatformVerifier;
        let tls = TlsConfig::builder().provider(TlsProvider::NativeTls).root_certs(roots);
        builder.tls_config(tls.build())
    };
    let builder = if is_loopback(url) { builder.proxy(None) } else { builder };
    builder.build().new_agent()
}

/// Checks that this build can use an address, and that the token is sent unencrypted only if the caller allows it.
pub(super) fn check(url: &str, plain_http: bool) -> Result<()> {
    let refused = |reason| Err(ClientError::Address { url: url.to_owned(), reason });
    let uri = url.parse::<Uri>().ok().filter(|uri| uri.host().is_some_and(|host| !host.is_empty()));
    match uri.as_ref().and_then(Uri::scheme_str) {
        Some("http") if plain_http || is_loopback(url) => Ok(()),
        Some("http") => refused(
            "it is another machine, without TLS: the token would travel in the clear; --plain-http, in Rust \
             `plain_http`, sends it anyway",
        ),
        Some("https") if cfg!(feature = "tls") => Ok(()),
        Some("https") => refused(
            "this build has no TLS: build with the feature remote-tls, or tls of the library",
        ),
        _ if url.is_empty() => refused("it is empty; an address looks like http://127.0.0.1:8080"),
        _ => refused("an address looks like https://lookups.example or http://127.0.0.1:8080"),
    }
}

/// Returns whether an address is on this machine.
fn is_loopback(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_apart() {
        for url in ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:80/path"] {
            assert!(check(url, false).is_ok(), "{url}");
            assert!(agent(url).config().proxy().is_none(), "{url}");
        }
        for url in [
            "http://10.0.0.5:8080",
            "http://lookups.example",
            "http://localhost.example",
            "http://localhost@10.0.0.5",
            "http://127.0.0.1.example",
        ] {
            let error = check(url, false).unwrap_err().to_string();
            assert!(error.contains("in the clear"), "{url}: {error}");
            assert!(check(url, true).is_ok(), "{url}");
        }
        assert_eq!(check("https://lookups.example", false).is_ok(), cfg!(feature = "tls"));
        for url in ["lookups.example", "ftp://lookups.example", "http://", "", "a b"] {
            assert!(check(url, true).is_err(), "{url}");
        }
    }
}
