package outside.suite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import outside.suite.shop.Shop;

class BasketsTest extends WithServers {
    @Autowired
    private Shop.Baskets baskets;

    @Test
    void whatLiesInABasketIsOrdered() {
        long customer = customers.add("Ada");
        long cup = stock.add("cup", 500, 5);
        long box = stock.add("box", 900, 5);
        baskets.put(customer, cup, 1);
        baskets.put(customer, cup, 2);
        baskets.put(customer, box, 1);
        assertThat(baskets.size(customer)).isEqualTo(2);
        baskets.order(customer);
        assertThat(baskets.size(customer)).isZero();
        assertThat(stock.left(cup)).isEqualTo(2);
        assertThat(stock.left(box)).isEqualTo(4);
    }
}
