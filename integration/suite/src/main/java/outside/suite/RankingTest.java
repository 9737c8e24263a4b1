package outside.suite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RankingTest extends WithServers {
    @Test
    void whatIsBoughtMostIsFirst() {
        long customer = customers.add("Ada");
        for (String name : new String[] {"cup", "box", "box"}) {
            stock.buy(customer, stock.add(name, 100, 1), 1);
            cache.opsForZSet().incrementScore("bought", name, 1);
        }
        assertThat(cache.opsForZSet().reverseRange("bought", 0, 0)).containsExactly("box");
        assertThat(database.queryForObject("SELECT count(*) FROM purchase", Integer.class)).isEqualTo(3);
    }
}
