package outside.suite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProfilesTest extends WithServers {
    @Test
    void profilesAreAskedByTheirContents() {
        customers.add("Ada");
        customers.add("Bob");
        database.update("UPDATE customer SET profile = '{\"town\": \"Bern\", \"tags\": [\"new\"]}' WHERE name = 'Ada'");
        assertThat(database.queryForList(
                        "SELECT name FROM customer WHERE profile @> '{\"tags\": [\"new\"]}'", String.class))
                .containsExactly("Ada");
        assertThat(database.queryForObject("SELECT profile ->> 'town' FROM customer WHERE name = 'Ada'", String.class))
                .isEqualTo("Bern");
    }
}
