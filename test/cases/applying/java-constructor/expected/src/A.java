public class A {
    private int x;

    public A(int x) {
        this.x = x;
    }
}
