public interface Shape {
    double area();

    double around();
}
