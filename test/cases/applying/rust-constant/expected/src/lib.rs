/// Most.
const MAX: usize = 20;
static NAME: &str = "a";
