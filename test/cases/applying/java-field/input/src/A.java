public class A {
    private static final int LIMIT = 1;
    private int x;
}
