public class A {
    public int add(int a) {
        return a;
    }

    public int add(int a, int b) {
        return a - b;
    }
}
