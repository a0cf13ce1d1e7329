//! A path with places for values that change from one request to the next.

use std::cell::Cell;

use crate::driver::chance::Chance;
use crate::load::{Request, Values};

/// The parts of a path, in order.
#[derive(Debug)]
pub(in crate::driver) struct Path {
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Text(String),
    List {
        values: Vec<String>,
        next: Cell<usize>,
    },
    Random {
        first: u64,
        count: u64,
    },
}

impl Path {
    /// The path of `request`, parted where `{name}` stands for one of its values; `None` where the
    /// path is the same every time.
    pub(in crate::driver) fn of(request: &Request) -> Option<Self> {
        let mut parts = vec![Part::Text(request.path.clone())];
        for (name, values) in &request.values {
            let place = format!("{{{name}}}");
            parts = parts
                .into_iter()
                .flat_map(|part| part.parted(&place, values))
                .collect();
        }
        (parts.len() > 1).then_some(Self { parts })
    }

    /// Appends the path with its next values.
    pub(in crate::driver) fn write(&self, bytes: &mut Vec<u8>, chance: &mut Chance) {
        for part in &self.parts {
            match part {
                Part::Text(text) => bytes.extend_from_slice(text.as_bytes()),
                Part::List { values, next } => {
                    bytes.extend_from_slice(values[next.get()].as_bytes());
                    next.set((next.get() + 1) % values.len());
                }
                Part::Random { first, count } => {
                    write_decimal(bytes, first + chance.below(*count));
                }
            }
        }
    }
}

impl Part {
    fn parted(self, place: &str, values: &Values) -> Vec<Self> {
        let Self::Text(text) = self else {
            return vec![self];
        };
        let mut parts = Vec::new();
        for (number, piece) in text.split(place).enumerate() {
            parts.extend((number > 0).then(|| Self::of(values)));
            parts.push(Self::Text(piece.to_owned()));
        }
        parts
    }

    fn of(values: &Values) -> Self {
        match values {
            Values::List(values) => Self::List {
                values: values.clone(),
                next: Cell::new(0),
            },
            Values::Random(range) => Self::Random {
                first: *range.start(),
                // Of all 64-bit numbers the last is left out.
                count: (range.end() - range.start()).saturating_add(1),
            },
        }
    }
}

/// `u64::MAX` has twenty digits.
fn write_decimal(bytes: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    bytes.extend_from_slice(&digits[first..]);
}
