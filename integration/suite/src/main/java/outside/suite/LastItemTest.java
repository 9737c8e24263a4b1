package outside.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class LastItemTest extends WithServers {
    @Test
    void oneOfManyGetsIt() throws Exception {
        long item = stock.add("cup", 500, 1);
        long customer = customers.add("Ada");
        int bought = 0;
        try (var threads = Executors.newFixedThreadPool(6)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                all.add(threads.submit(() -> stock.buy(customer, item, 1)));
            }
            for (Future<?> each : all) {
                try {
                    each.get();
                    bought++;
                } catch (ExecutionException outOfStock) {
                    assertThat(outOfStock).hasMessageContaining("item_stock_check");
                }
            }
        }
        assertThat(bought).isEqualTo(1);
        assertThat(stock.left(item)).isZero();
    }
}
