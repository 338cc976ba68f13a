//! Where the time of a circuit goes: circuits name their parts ([`crate::Arithmetic::begin_stage`]), a dry run counts what
//! each of them does ([`crate::DryRun::stages`]), and [`timed`] says how long each of them takes on this thread.
//!
//! Times are of one thread: parts that run side by side on several cannot be told apart.

use std::cell::RefCell;
use std::time::{Duration, Instant};

thread_local! {
    /// When each part began, while somebody wants to know.
    static MARKS: RefCell<Option<Vec<(&'static str, Instant)>>> = const { RefCell::new(None) };
}

/// Notes that a part begins.
pub(crate) fn begin(name: &'static str) {
    MARKS.with_borrow_mut(|marks| {
        if let Some(marks) = marks {
            marks.push((name, Instant::now()));
        }
    });
}

/// Runs `f`, and says how long each of its parts took on this thread, in the order in which they first began; what comes
/// before the first is not told.
///
/// ```
/// use cryptable_ckks::stages;
/// let (result, times) = stages::timed(|| 2 + 2);
/// assert_eq!((result, times.len()), (4, 0));
/// ```
pub fn timed<T>(f: impl FnOnce() -> T) -> (T, Vec<(&'static str, Duration)>) {
    let before = MARKS.replace(Some(Vec::new()));
    let result = f();
    let end = Instant::now();
    let marks = MARKS.replace(before).unwrap_or_default();
    let mut times: Vec<(&'static str, Duration)> = Vec::new();
    for (index, &(name, start)) in marks.iter().enumerate() {
        let stop = marks.get(index + 1).map_or(end, |&(_, next)| next);
        add_to(&mut times, name, stop - start);
    }
    (result, times)
}

/// Adds to the sum of a name, which comes last if it is new.
pub(crate) fn add_to<T: std::ops::AddAssign>(
    sums: &mut Vec<(&'static str, T)>,
    name: &'static str,
    more: T,
) {
    match sums.iter_mut().find(|(other, _)| *other == name) {
        Some((_, sum)) => *sum += more,
        None => sums.push((name, more)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_one_name_are_added_up() {
        let nap = || std::thread::sleep(Duration::from_millis(2));
        let ((), times) = timed(|| {
            for _ in 0..2 {
                begin("first");
                nap();
                begin("second");
                nap();
            }
        });
        assert_eq!(times.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["first", "second"]);
        assert!(times.iter().all(|(_, time)| *time >= Duration::from_millis(4)), "{times:?}");
        // Nobody listens any more.
        begin("third");
        assert!(timed(|| ()).1.is_empty());
    }
}
