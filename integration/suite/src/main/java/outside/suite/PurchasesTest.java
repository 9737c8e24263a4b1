package outside.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;

class PurchasesTest extends WithServers {
    @Test
    void aPurchaseTakesFromTheStock() {
        long item = stock.add("cup", 500, 3);
        stock.buy(customers.add("Ada"), item, 2);
        assertThat(stock.left(item)).isEqualTo(1);
    }

    @Test
    void anUnknownCustomerBuysNothing() {
        long item = stock.add("cup", 500, 3);
        assertThatThrownBy(() -> stock.buy(99, item, 1)).isInstanceOf(DataIntegrityViolationException.class);
        assertThat(stock.left(item)).isEqualTo(3);
    }
}
