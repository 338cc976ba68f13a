//! Pages of lists: `?after=NUMBER&limit=COUNT` in requests, and a header `Link` to the next page (RFC 8288) in answers.

use axum::Json;
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use serde::Serialize;

use crate::store::{Listed, Page};
use crate::{Problem, Result};

/// Largest and default number of entries per page.
const LONGEST: usize = 1000;

/// Parses the page that a request asks for.
pub(super) fn page(uri: &Uri) -> Result<Page> {
    let mut page = Page { after: 0, limit: LONGEST };
    let wrong = |part: &str| {
        let text = format!("{part:?} is neither after=NUMBER nor limit=1 to {LONGEST}");
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

/// Builds the answer: the list, and a link to the next page.
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
        let parsed = |text: &'static str| {
            page(&Uri::from_static(text)).ok().map(|page| (page.after, page.limit))
        };
        assert_eq!(parsed("/v1/jobs"), Some((0, LONGEST)));
        assert_eq!(parsed("/v1/jobs?limit=7&after=12"), Some((12, 7)));
        for wrong in ["/?limit=0", "/?limit=1001", "/?after=-1", "/?after=x", "/?page=1", "/?after"]
        {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}
