use std::io;
use std::collections::HashMap;

pub fn one() -> i32 {
    1
}

pub fn two() -> HashMap<i32, i32> {
    HashMap::new()
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_is_one() {}
}
