package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BasketTest {
    private final Basket basket = new Basket();

    @BeforeEach
    void fill() {
        basket.add(250);
        basket.add(750);
    }

    @Test
    void sumsUp() {
        assertEquals(1000, basket.total());
    }

    @Test
    void givesADiscount() {
        assertEquals(900, basket.totalWithDiscount(10));
    }
}
