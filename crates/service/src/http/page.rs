//! The page: static files that are embedded in the program. It encrypts and decrypts in the browser and uses the same
//! interface as every client.

use axum::Router;
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::App;

/// Allows only scripts, styles, workers and connections of this server. WebAssembly may be compiled, and no frame may
/// show the page.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
    connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every file of the page.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    // Files of a new version of the page must not be mixed with files of an old one.
    (header::CACHE_CONTROL, "no-cache"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PICTURE: &str = "image/svg+xml";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const WASM: &str = "application/wasm";

/// A file of the page.
#[derive(Clone, Copy, Debug)]
struct Asset {
    path: &'static str,
    kind: &'static str,
    content: &'static [u8],
}

/// Embeds a file of the folder `page`.
macro_rules! own {
    ($path:literal, $kind:ident, $name:literal) => {
        Asset { path: $path, kind: $kind, content: include_bytes!(concat!("../../page/", $name)) }
    };
}

/// Embeds a file of the npm package.
macro_rules! of_package {
    ($name:literal, $kind:ident) => {
        Asset {
            path: concat!("/page/", $name),
            kind: $kind,
            content: include_bytes!(concat!(
                env!(
                    "CRYPTABLE_NPM_PACKAGE",
                    "the feature `page` embeds the npm package: `make page` builds both"
                ),
                "/",
                $name
            )),
        }
    };
}

/// All files, at their addresses.
static ASSETS: [Asset; 14] = [
    own!("/", HTML, "index.html"),
    own!("/page/page.css", STYLE, "page.css"),
    own!("/page/icon.svg", PICTURE, "icon.svg"),
    own!("/page/page.js", SCRIPT, "page.js"),
    own!("/page/inputs.js", SCRIPT, "inputs.js"),
    own!("/page/views.js", SCRIPT, "views.js"),
    of_package!("client.js", SCRIPT),
    of_package!("service.js", SCRIPT),
    of_package!("worker.js", SCRIPT),
    of_package!("index.js", SCRIPT),
    of_package!("platform.js", SCRIPT),
    of_package!("key_file.js", SCRIPT),
    of_package!("kept_keys.js", SCRIPT),
    of_package!("native.js", SCRIPT),
];

/// The WebAssembly module.
static MODULE: Asset = of_package!("native_bg.wasm", WASM);

/// Adds the page to the routes of the interface.
pub(super) fn add_to(router: Router<App>) -> Router<App> {
    let assets = ASSETS.iter().chain([&MODULE]);
    assets.fold(router, |router, asset| router.route(asset.path, get(|| async { answer(asset) })))
}

fn answer(asset: &'static Asset) -> Response {
    ([(header::CONTENT_TYPE, asset.kind)], HEADERS, asset.content).into_response()
}
