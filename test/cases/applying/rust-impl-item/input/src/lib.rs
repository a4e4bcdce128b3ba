use std::fmt;

#[derive(Debug)]
pub struct Stack {
    items: Vec<i32>,
}

impl Stack {
    /// Adds.
    pub fn push(&mut self, x: i32) {
        self.items.insert(0, x);
    }

    pub fn len(&self) -> usize {
        0
    }
}

impl fmt::Display for Stack {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "x")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
}
