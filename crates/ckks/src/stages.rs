//! Profiling by parts of a circuit. Circuits name their parts ([`crate::Arithmetic::begin_stage`]), a dry run counts
//! the operations of each part ([`crate::DryRun::stages`]), and [`timed`] measures how long each part takes on this
//! thread.
//!
//! Times are of one thread: parts that run concurrently on several threads cannot be distinguished.

use std::cell::RefCell;
use std::time::{Duration, Instant};

thread_local! {
    /// Start of each part, while times are measured.
    static MARKS: RefCell<Option<Vec<(&'static str, Instant)>>> = const { RefCell::new(None) };
}

/// Records that a part begins.
pub(crate) fn begin(name: &'static str) {
    MARKS.with_borrow_mut(|marks| {
        if let Some(marks) = marks {
            marks.push((name, Instant::now()));
        }
    });
}

/// Runs `f` and returns how long each of its parts took on this thread, in the order in which they first began. The
/// time before the first part is not included.
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

/// Adds to the sum of a name; new names come last.
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
        // Times are no longer measured.
        begin("third");
        assert!(timed(|| ()).1.is_empty());
    }
}
