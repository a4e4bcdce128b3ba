struct Ant;
struct Bee;

impl Ant {
    fn name(&self) -> i32 {
        1
    }
}

impl Bee {
    fn name(&self) -> i32 {
        3
    }
}
