//! Lists, page by page: `?after=NUMBER&limit=COUNT`, and a header `Link` to the next page (RFC 8288) where there is one.

use axum::Json;
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use serde::Serialize;

use crate::store::{Listed, Page};
use crate::{Problem, Result};

/// Most that a page has, and what it has unless told otherwise.
const LONGEST: usize = 1000;

/// The page that a request asks for.
pub(super) fn page(uri: &Uri) -> Result<Page> {
    let mut page = Page { after: 0, limit: LONGEST };
    let wrong = |part: &str| {
        let text = format!("{part:?} is none of after=NUMBER and limit=1 to {LONGEST}");
        Problem::bad_request(text)
    };
    for part in uri.query().unwrap_or_default().split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').ok_or_else(|| wrong(part))?;
        let number: u64 = value.parse().map_err(|_| wrong(part))?;
        match (name, usize::try_from(number), i64::try_from(number)) {
            ("after", _, Ok(after)) => page.after = after,
            ("limit", Ok(limit @ 1..=LONGEST), _) => page.limit = limit,
            _ => return Err(wrong(part).into()),
        }
    }
    Ok(page)
}

/// The answer: a list, and where the next page is.
pub(super) fn answer<T: Serialize>(
    listed: Listed<T>,
    uri: &Uri,
    page: Page,
) -> (HeaderMap, Json<Vec<T>>) {
    let mut headers = HeaderMap::new();
    if let Some(next) = listed.next {
        let link = format!("<{}?after={next}&limit={}>; rel=\"next\"", uri.path(), page.limit);
        if let Ok(link) = HeaderValue::from_str(&link) {
            headers.insert(header::LINK, link);
        }
    }
    (headers, Json(listed.items))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_asked_for_by_numbers() {
        let of = |text: &'static str| {
            page(&Uri::from_static(text)).ok().map(|page| (page.after, page.limit))
        };
        assert_eq!(of("/v1/jobs"), Some((0, LONGEST)));
        assert_eq!(of("/v1/jobs?limit=7&after=12"), Some((12, 7)));
        for wrong in ["/?limit=0", "/?limit=1001", "/?after=-1", "/?after=x", "/?page=1", "/?after"]
        {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
