package shop;

import java.util.List;

/** A cart. */
public class Cart {
    private final List<Item> items;

    public Cart(List<Item> items) {
        this.items = items;
    }

    /** Sum. */
    @Override
    public int total() {
        int sum = 0;
        for (Item item : items) {
            sum += item.price();
        }
        return sum;
    }

    public void clear() {
        items.clear();
    }
}
