package shop;

import java.util.ArrayList;
import java.util.List;

/** Sums prices up, and gives a discount that is wrong. */
public final class Basket {
    private final List<Integer> cents = new ArrayList<>();

    public void add(int price) {
        cents.add(price);
    }

    public int total() {
        return cents.stream().mapToInt(Integer::intValue).sum();
    }

    public int totalWithDiscount(int percent) {
        return total() * percent / 100;
    }
}
