//! Escaping of untrusted text for terminals and logs.

use std::borrow::Cow;

/// Returns whether a character may affect a terminal or deceive a reader: control characters, including ESC and C1;
/// line and paragraph separators; characters that change the direction of text; invisible marks that make two names
/// look alike.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Escapes every character that a terminal might act on, line ends included. Names of files, columns and parameters
/// come from others and are shown on terminals.
///
/// ```
/// use cryptable_wire::printable;
/// assert_eq!(printable("Größe.csv"), "Größe.csv");
/// assert_eq!(printable("a\u{1b}[2Jb\n"), r"a\u{1b}[2Jb\n");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c.escape_default().to_string())
}

/// Escapes every character of a JSON text that a terminal might act on. The escapes are those of JSON, so the meaning
/// is unchanged.
///
/// Such characters occur only within strings, where escapes are valid, provided that white space between values is
/// spaces only.
///
/// ```
/// use cryptable_wire::printable_json;
/// assert_eq!(printable_json("{\"a\":\"\u{9b}2J\"}"), r#"{"a":"\u009b2J"}"#);
/// ```
#[must_use]
pub fn printable_json(text: &str) -> Cow<'_, str> {
    escaped(text, |c| {
        let mut units = [0; 2];
        c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
    })
}

fn escaped(text: &str, escape: impl Fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let each = |c: char| if is_unsafe(c) { escape(c) } else { c.to_string() };
    Cow::Owned(text.chars().map(each).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_terminals_act_on_is_escaped_and_nothing_else() {
        for (text, expected) in [
            ("\u{1b}]0;title\u{7}", r"\u{1b}]0;title\u{7}"),
            ("\u{9b}31m", r"\u{9b}31m"),
            ("a\r\nb\tc\u{7f}", r"a\r\nb\tc\u{7f}"),
            ("gpj.\u{202e}exe\u{2066}", r"gpj.\u{202e}exe\u{2066}"),
            ("\u{2028}\u{feff}\u{200f}", r"\u{2028}\u{feff}\u{200f}"),
        ] {
            assert_eq!(printable(text), expected);
            let json = serde_json::to_string(text).unwrap();
            let shown = printable_json(&json);
            assert!(!shown.contains(is_unsafe), "{shown:?}");
            assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        }
        for harmless in ["", "C:\\a 'b' \"c\"", "naïve 表 🦀 e\u{301}"] {
            assert!(matches!(printable(harmless), Cow::Borrowed(same) if same == harmless));
        }
    }
}
