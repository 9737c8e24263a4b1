package outside.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.springframework.dao.DuplicateKeyException;

class CustomersTest extends WithServers {
    @Test
    void whoIsAddedIsFound() {
        long id = customers.add("Ada");
        assertThat(customers.find("Ada")).contains(id);
        assertThat(customers.find("Bob")).isEmpty();
    }

    @Test
    void aNameIsThereOnce() {
        customers.add("Ada");
        assertThatThrownBy(() -> customers.add("Ada")).isInstanceOf(DuplicateKeyException.class);
    }
}
