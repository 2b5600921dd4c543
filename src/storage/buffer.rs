//! A shared, 64-byte aligned run of values, written to only by whoever holds it alone.

use super::cache::{self, Header};
use crate::dual::Dual;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

/// A type for which every pattern of initialised bytes is a value, and which needs no more than
/// [`cache::ALIGN`] bytes of alignment.
///
/// # Safety
/// The implementor has no padding, no invalid bit patterns, no destructor and no interior mutability.
pub unsafe trait Plain: Copy + Send + Sync + 'static {}
// SAFETY: numbers without padding, of which every bit pattern is valid.
unsafe impl Plain for f32 {}
// SAFETY: as above.
unsafe impl Plain for f64 {}
// SAFETY: as above.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for usize {}
// SAFETY: two numbers of one type side by side (`repr(C)`), so there is no padding; any bits are numbers.
unsafe impl<E: Plain> Plain for Dual<E> {}

/// What the values of a buffer belong to: nothing in particular, or the examples of a function that is mapped over
/// them. Nothing in this room looks at it; slices, copies and shares of a buffer have its mark, new ones have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark(pub(crate) u64);

impl Mark {
    /// Of values that belong to nothing in particular.
    pub(crate) const NONE: Mark = Mark(0);

    /// True for [`Mark::NONE`].
    pub(crate) fn is_none(self) -> bool {
        self == Mark::NONE
    }
}

/// The start of a buffer's block.
#[repr(C, align(64))]
struct Head {
    header: Header,
    part: Part,
}
const _: () = assert!(size_of::<Head>() == cache::START);

/// A run of values.
#[derive(Clone, Copy)]
struct Part {
    start: *mut u8,
    /// The number of values.
    len: usize,
    mark: Mark,
    /// The block that the values are in, if it is another one than that of this head.
    of: Option<NonNull<Head>>,
}

/// Values shared by reference counting: a pointer to a head that says where they are.
///
/// Values lie behind the head of their own block. A slice has a head of its own, which holds that block.
pub(crate) struct Buffer<T: Plain> {
    head: NonNull<Head>,
    values: PhantomData<T>,
}

// SAFETY: the values are `Send + Sync`, the count is atomic, and writing needs the only reference.
unsafe impl<T: Plain> Send for Buffer<T> {}
// SAFETY: as above.
unsafe impl<T: Plain> Sync for Buffer<T> {}

/// The head of a buffer without values. It is nobody's own, and never counted.
struct Nothing(Head);
// SAFETY: nobody writes to it.
unsafe impl Sync for Nothing {}
static NOTHING: Nothing = Nothing(Head {
    header: Header::shared(),
    part: Part {
        start: std::ptr::without_provenance_mut(cache::ALIGN),
        len: 0,
        mark: Mark::NONE,
        of: None,
    },
});

fn nothing() -> NonNull<Head> {
    NonNull::from(&NOTHING.0)
}

impl<T: Plain> Buffer<T> {
    /// `len` values whose contents are whatever the block held before: write all of them.
    #[inline]
    pub(crate) fn dirty(len: usize) -> Self {
        let bytes = len
            .checked_mul(size_of::<T>())
            .filter(|&bytes| bytes <= isize::MAX as usize / 4)
            .unwrap_or_else(|| panic!("a tensor of {len} elements does not fit in memory"));
        let head = cache::take(bytes).cast::<Head>();
        // SAFETY: values start behind the head.
        let start = unsafe { head.add(1) }.as_ptr().cast();
        let part = Part {
            start,
            len,
            mark: Mark::NONE,
            of: None,
        };
        // SAFETY: the block is new and ours alone.
        unsafe { Self::begin(head, part) }
    }

    /// The buffer of a new block.
    ///
    /// # Safety
    /// The block is the caller's alone, and will have these values.
    #[inline(always)]
    unsafe fn begin(head: NonNull<Head>, part: Part) -> Self {
        // SAFETY: every block has room for a head, and by the contract above nobody else looks at this one.
        unsafe { (&raw mut (*head.as_ptr()).part).write(part) };
        Buffer {
            head,
            values: PhantomData,
        }
    }

    pub(crate) fn filled(len: usize, value: T) -> Self {
        let mut buffer = Self::dirty(len);
        buffer.fresh().fill(value);
        buffer
    }

    pub(crate) fn from_slice(values: &[T]) -> Self {
        let mut buffer = Self::dirty(values.len());
        buffer.fresh().copy_from_slice(values);
        buffer
    }

    /// `len` values in order.
    pub(crate) fn from_fn(len: usize, mut value: impl FnMut(usize) -> T) -> Self {
        let mut buffer = Self::dirty(len);
        for (i, slot) in buffer.fresh().iter_mut().enumerate() {
            *slot = value(i);
        }
        buffer
    }

    fn head(&self) -> &Head {
        // SAFETY: a buffer keeps its head alive, and nobody writes to it while others may look at it.
        unsafe { self.head.as_ref() }
    }

    fn refs(&self) -> &AtomicUsize {
        &self.head().header.refs
    }

    fn part(&self) -> Part {
        self.head().part
    }

    /// A buffer of a part of this one's values.
    fn view(&self, part: Part) -> Self {
        let block = part.of.unwrap_or(self.head);
        share(block);
        let of = Some(block);
        let head = cache::take_cell(size_of::<Head>(), cache::give_cell).cast();
        // SAFETY: the head is new and ours alone, and the block that it holds has the values.
        unsafe { Self::begin(head, Part { of, ..part }) }
    }

    /// `len` of the values, from `start` on. Nothing is copied: both buffers hold the block.
    pub(crate) fn slice(&self, start: usize, len: usize) -> Self {
        let part = self.part();
        assert!(start <= part.len && len <= part.len - start);
        // SAFETY: `start` lies inside the values.
        let start = unsafe { part.start.cast::<T>().add(start) }.cast();
        self.view(Part { start, len, ..part })
    }

    /// What the values belong to.
    #[inline(always)]
    pub(crate) fn mark(&self) -> Mark {
        self.head().part.mark
    }

    /// The same values, belonging to something else.
    pub(crate) fn marked(mut self, mark: Mark) -> Self {
        if self.refs().load(Ordering::Acquire) == 1 {
            // SAFETY: there is one reference to the head, and it is ours.
            unsafe { self.head.as_mut() }.part.mark = mark;
            return self;
        }
        self.view(Part {
            mark,
            ..self.part()
        })
    }

    /// True if nobody else holds the block.
    #[inline(always)]
    pub(crate) fn is_unique(&self) -> bool {
        // Acquire pairs with the release in `leave`.
        let alone = |refs: &AtomicUsize| refs.load(Ordering::Acquire) == 1;
        // SAFETY: the head keeps its block alive.
        alone(self.refs())
            && self
                .part()
                .of
                .is_none_or(|block| alone(unsafe { &block.as_ref().header.refs }))
    }

    /// The values for writing, if nobody else can see them.
    #[inline(always)]
    pub(crate) fn unique(&mut self) -> Option<&mut [T]> {
        if !self.is_unique() {
            return None;
        }
        let Part { start, len, .. } = self.part();
        // SAFETY: the only reference to the block is `self`, which is borrowed mutably; the bytes
        // are initialised (`cache::take`) and any pattern is a `T` (`Plain`).
        Some(unsafe { std::slice::from_raw_parts_mut(start.cast(), len) })
    }

    /// The values of a buffer that was just made.
    #[inline(always)]
    pub(crate) fn fresh(&mut self) -> &mut [T] {
        self.unique().expect("a buffer just made is not shared")
    }

    /// The values for writing; where others hold them, `self` moves to a copy first.
    pub(crate) fn make_mut(&mut self) -> &mut [T] {
        if !self.is_unique() {
            *self = Self::from_slice(self).marked(self.mark());
        }
        self.fresh()
    }
}

/// No values: what is left of a buffer that was moved away.
impl<T: Plain> Default for Buffer<T> {
    fn default() -> Self {
        Buffer {
            head: nothing(),
            values: PhantomData,
        }
    }
}

impl<T: Plain> Deref for Buffer<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        let Part { start, len, .. } = self.part();
        // SAFETY: the block holds `len` initialised values from `start`, and nobody writes to them
        // while a shared reference to any buffer of the block exists.
        unsafe { std::slice::from_raw_parts(start.cast(), len) }
    }
}

impl<T: Plain> Clone for Buffer<T> {
    #[inline]
    fn clone(&self) -> Self {
        share(self.head);
        Buffer { ..*self }
    }
}

/// Adds one reference to a head.
#[inline]
fn share(head: NonNull<Head>) {
    if head != nothing() {
        // SAFETY: the caller has a reference, which keeps the head alive.
        let before = unsafe { head.as_ref() }
            .header
            .refs
            .fetch_add(1, Ordering::Relaxed);
        assert!(
            before < isize::MAX as usize,
            "too many tensors share one buffer"
        );
    }
}

impl<T: Plain> Drop for Buffer<T> {
    /// Always inlined, so that buffers stay in registers which would have to be in memory for a call.
    #[inline(always)]
    fn drop(&mut self) {
        if self.head != nothing() {
            leave(self.head);
        }
    }
}

/// Takes one reference from a head that is not [`nothing`].
fn leave(head: NonNull<Head>) {
    // SAFETY: the reference that goes has kept the head alive.
    let Head { header, part } = unsafe { head.as_ref() };
    // A sole owner need not announce that it leaves.
    if header.refs.load(Ordering::Acquire) != 1 {
        if header.refs.fetch_sub(1, Ordering::Release) != 1 {
            return;
        }
        fence(Ordering::Acquire);
    }
    match part.of {
        None => cache::give(head.cast()),
        Some(block) => {
            cache::give_cell(head.cast());
            if block != nothing() {
                leave(block);
            }
        }
    }
}

impl<T: Plain + fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_to_a_shared_buffer_leaves_the_others_alone() {
        let mut a = Buffer::from_slice(&[1.0f32, 2.0]);
        let b = a.clone();
        assert!(a.unique().is_none());
        a.make_mut()[0] = 9.0;
        assert_eq!((&*a, &*b), (&[9.0, 2.0][..], &[1.0, 2.0][..]));
        assert!(b.is_unique());
    }

    #[test]
    fn values_are_aligned_and_blocks_come_back() {
        let a = Buffer::<f32>::dirty(1000);
        let place = a.as_ptr();
        assert_eq!(place as usize % cache::ALIGN, 0);
        drop(a);
        assert_eq!(Buffer::<f64>::dirty(500).as_ptr() as usize, place as usize);
    }

    #[test]
    fn a_slice_shares_the_block_and_is_copied_before_it_is_written_to() {
        let a = Buffer::from_slice(&[0.0f32, 1.0, 2.0, 3.0, 4.0]);
        let mut b = a.slice(1, 3).slice(1, 2);
        assert_eq!((&*b, b.as_ptr()), (&[2.0, 3.0][..], &raw const a[2]));
        b.make_mut()[0] = 9.0;
        assert_eq!((&*b, a[2]), (&[9.0, 3.0][..], 2.0));
        let mut c = a.slice(3, 2);
        drop(a);
        assert_eq!(c.unique(), Some(&mut [3.0, 4.0][..]));
        assert!(c.slice(2, 0).is_empty());
    }

    #[test]
    #[should_panic(expected = "assertion failed")]
    fn a_slice_lies_inside() {
        Buffer::from_slice(&[0.0f32; 4]).slice(3, 2);
    }

    #[test]
    fn empty_buffers_are_fine() {
        let mut a = Buffer::<f64>::filled(0, 1.0);
        assert!(a.is_empty() && a.make_mut().is_empty());
    }

    #[test]
    fn a_mark_is_that_of_one_buffer_and_its_shares() {
        let a = Buffer::from_slice(&[1.0f32, 2.0]);
        let b = a.clone().marked(Mark(7));
        assert_eq!((a.mark(), b.mark()), (Mark::NONE, Mark(7)));
        assert_eq!((b.clone().mark(), b.slice(1, 1).mark()), (Mark(7), Mark(7)));
        assert!(!a.is_unique() && a.as_ptr() == b.as_ptr());
        drop(a);
        let c = b.marked(Mark(8)).slice(0, 1);
        assert!(c.is_unique() && c.mark() == Mark(8));
    }

    #[test]
    fn what_is_left_of_a_buffer_is_empty() {
        let mut a = Buffer::from_slice(&[1.0f32]);
        drop(std::mem::take(&mut a));
        let b = a.clone().marked(Mark(1));
        assert!(a.is_empty() && b.is_empty() && a.slice(0, 0).is_empty());
        drop(b);
        assert!(a.make_mut().is_empty());
    }

    #[test]
    fn buffers_cross_threads() {
        let a = Buffer::from_slice(&[1.0f32; 64]);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let mut mine = a.clone();
                scope.spawn(move || mine.make_mut()[0] = 2.0);
            }
        });
        assert!(a.is_unique() && a[0] == 1.0);
    }

    #[test]
    #[should_panic(expected = "does not fit in memory")]
    fn absurd_sizes_are_refused() {
        Buffer::<f64>::dirty(usize::MAX / 4);
    }
}
