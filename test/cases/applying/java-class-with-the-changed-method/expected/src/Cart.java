package shop;

import java.util.Optional;

public class Cart implements Sized {
    private int size = 0;

    public int size() {
        return Optional.of(size).get();
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public int price() {
        return 1;
    }
}
