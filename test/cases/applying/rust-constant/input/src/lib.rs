/// Most.
pub const MAX: usize = 10;
static NAME: &str = "a";
