#[derive(Debug, Clone)]
pub enum Shape {
    Round(f64),
    Square(f64),
    Flat,
}
