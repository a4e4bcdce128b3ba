public class A {
    private static final int LIMIT = 2;
    private int x;
}
