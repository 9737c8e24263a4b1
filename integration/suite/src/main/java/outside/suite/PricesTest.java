package outside.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.EmptyResultDataAccessException;
import outside.suite.shop.Shop;

class PricesTest extends WithServers {
    @Autowired
    private Shop.Prices prices;

    @Test
    void aPriceIsReadOnce() {
        long item = stock.add("cup", 500, 1);
        assertThat(prices.of(item)).isEqualTo(500);
        database.update("UPDATE item SET cents = 600");
        assertThat(prices.of(item)).isEqualTo(500);
        cache.delete("price:" + item);
        assertThat(prices.of(item)).isEqualTo(600);
    }

    @Test
    void whatIsNotThereHasNone() {
        assertThatThrownBy(() -> prices.of(99)).isInstanceOf(EmptyResultDataAccessException.class);
    }
}
