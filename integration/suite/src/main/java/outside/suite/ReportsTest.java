package outside.suite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReportsTest extends WithServers {
    @Test
    void whoBoughtMostIsFirst() {
        long item = stock.add("cup", 500, 100);
        long ada = customers.add("Ada");
        long bob = customers.add("Bob");
        stock.buy(ada, item, 2);
        stock.buy(bob, item, 1);
        stock.buy(bob, item, 4);
        assertThat(database.queryForList(
                        "SELECT c.name FROM purchase p JOIN customer c ON c.id = p.customer JOIN item i ON i.id = p.item"
                                + " GROUP BY c.name ORDER BY rank() OVER (ORDER BY sum(p.quantity * i.cents) DESC)",
                        String.class))
                .containsExactly("Bob", "Ada");
    }
}
