package outside.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;

class TransactionsTest extends WithServers {
    @Test
    void aPurchaseOfTooMuchLeavesNothing() {
        long item = stock.add("cup", 500, 1);
        long customer = customers.add("Ada");
        assertThatThrownBy(() -> stock.buy(customer, item, 2)).isInstanceOf(DataIntegrityViolationException.class);
        assertThat(database.queryForObject("SELECT count(*) FROM purchase", Integer.class)).isZero();
    }
}
