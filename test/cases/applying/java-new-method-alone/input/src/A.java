public class A {
    private int x;

    public int x() {
        return x;
    }
}
