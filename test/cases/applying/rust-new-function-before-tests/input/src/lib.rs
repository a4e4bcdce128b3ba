use std::io;

pub fn one() -> i32 {
    1
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_is_one() {}
}
