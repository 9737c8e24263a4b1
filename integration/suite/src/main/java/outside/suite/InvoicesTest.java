package outside.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class InvoicesTest extends WithServers {
    @Test
    void noNumberComesTwice() {
        Set<Long> numbers = ConcurrentHashMap.newKeySet();
        try (var threads = Executors.newFixedThreadPool(4)) {
            for (int i = 0; i < 200; i++) {
                threads.submit(() -> numbers.add(database.queryForObject("SELECT nextval('invoice')", Long.class)));
            }
        }
        assertThat(numbers).hasSize(200);
    }
}
