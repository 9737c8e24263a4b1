package outside.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PagesTest extends WithServers {
    @Test
    void pagesGoOnWhereTheLastOneEnded() {
        database.batchUpdate(
                "INSERT INTO item (name, cents) VALUES (?, ?)",
                IntStream.range(0, 1000).mapToObj(i -> new Object[] {"item " + i, i}).toList());
        long after = 0;
        int seen = 0;
        while (true) {
            List<Long> page = database.queryForList(
                    "SELECT id FROM item WHERE id > ? ORDER BY id LIMIT 64", Long.class, after);
            if (page.isEmpty()) {
                break;
            }
            seen += page.size();
            after = page.getLast();
        }
        assertThat(seen).isEqualTo(1000);
    }
}
