//! Text put together while the compiler evaluates constants, where `format!` does not reach.

/// Longer than six sizes of twenty digits, twice, and the words between them.
const CAPACITY: usize = 512;

/// A message under construction. What does not fit is cut off.
pub(super) struct Message {
    bytes: [u8; CAPACITY],
    len: usize,
}

impl Message {
    /// A message that starts with `text`.
    pub(super) const fn new(text: &str) -> Message {
        Message {
            bytes: [0; CAPACITY],
            len: 0,
        }
        .text(text)
    }

    /// Adds text.
    pub(super) const fn text(mut self, text: &str) -> Message {
        let bytes = text.as_bytes();
        let mut i = 0;
        while i < bytes.len() && self.len < CAPACITY {
            self.bytes[self.len] = bytes[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    /// Adds a number in decimals.
    pub(super) const fn number(mut self, number: usize) -> Message {
        if number >= 10 {
            self = self.number(number / 10);
        }
        if self.len < CAPACITY {
            self.bytes[self.len] = b'0' + (number % 10) as u8;
            self.len += 1;
        }
        self
    }

    /// Adds numbers as Rust writes a tuple: `()`, `(3,)`, `(3, 4)`.
    pub(super) const fn tuple(mut self, numbers: &[usize]) -> Message {
        self = self.text("(");
        let mut i = 0;
        while i < numbers.len() {
            if i > 0 {
                self = self.text(", ");
            }
            self = self.number(numbers[i]);
            i += 1;
        }
        self.text(if numbers.len() == 1 { ",)" } else { ")" })
    }

    /// The finished text.
    pub(super) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "a message that is not UTF-8",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn numbers_and_tuples_read_as_rust_writes_them() {
        const TEXT: Message = Message::new("shape ")
            .tuple(&[])
            .tuple(&[0])
            .tuple(&[12, 345])
            .text(" has ")
            .number(usize::MAX);
        assert_eq!(
            TEXT.as_str(),
            format!("shape ()(0,)(12, 345) has {}", usize::MAX)
        );
    }
}
