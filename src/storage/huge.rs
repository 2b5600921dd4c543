//! Huge pages: a large block in them costs the processor a fraction of the look-ups of where its pages are, and the
//! system a fraction of the work of handing them out.

use std::ptr::NonNull;

/// Bytes of a huge page, at which large blocks' values begin. That of x86-64, and of AArch64 with pages of 4 KiB.
pub(super) const PAGE: usize = 2 << 20;

/// Asks the system to have these bytes, which begin at a multiple of [`PAGE`], in huge pages, as far as they fill them.
/// No more memory is used for it, and it is no more than a wish.
pub(super) fn advise(start: NonNull<u8>, bytes: usize) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        use std::ffi::{c_int, c_void};
        // The standard library links this function's library already.
        unsafe extern "C" {
            fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
        }
        // The same for all processors that Linux has huge pages on and Rust a standard library for.
        const MADV_HUGEPAGE: c_int = 14;
        // SAFETY: this advice changes no memory's contents. An error (a system without huge pages) changes nothing.
        unsafe { madvise(start.as_ptr().cast(), bytes / PAGE * PAGE, MADV_HUGEPAGE) };
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = (start, bytes);
}
