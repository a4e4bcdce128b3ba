struct A;

impl A {
    fn name(&self) -> String {
        "a".into()
    }
}

impl Named for A {
    fn name(&self) -> String {
        "b".into()
    }
}
