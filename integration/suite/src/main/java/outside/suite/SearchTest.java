package outside.suite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SearchTest extends WithServers {
    @Test
    void wordsAreFoundInEachForm() {
        database.update("INSERT INTO item (name, text, cents) VALUES"
                + " ('cup', 'A cup for drinking tea', 500), ('box', 'A box for letters', 900)");
        assertThat(database.queryForList(
                        "SELECT name FROM item WHERE to_tsvector('english', text) @@ to_tsquery('english', 'drinks')",
                        String.class))
                .containsExactly("cup");
    }
}
