public class A {
    private int x;

    public int x() {
        return x;
    }

    public void reset() {
        x = 0;
    }
}
