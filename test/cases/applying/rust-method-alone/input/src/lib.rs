pub struct A;

impl A {
    pub fn one(&self) -> i32 {
        2
    }
}
