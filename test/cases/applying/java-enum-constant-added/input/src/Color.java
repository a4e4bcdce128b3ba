public enum Color {
    RED,
    GREEN
}
