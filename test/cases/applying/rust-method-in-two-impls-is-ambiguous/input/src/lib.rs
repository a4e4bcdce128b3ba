struct A;
struct B;

impl A {
    fn name(&self) -> i32 {
        1
    }
}

impl B {
    fn name(&self) -> i32 {
        2
    }
}
