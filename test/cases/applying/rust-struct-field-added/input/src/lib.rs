pub struct Shape {
    width: f64,
}
