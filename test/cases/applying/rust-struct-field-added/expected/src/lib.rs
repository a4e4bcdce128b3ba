pub struct Shape {
    width: f64,
    height: f64,
}
