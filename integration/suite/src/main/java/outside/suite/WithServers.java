package outside.suite;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import outside.suite.shop.Shop;

/** A class with servers and an application of its own. */
@ExtendWith(Servers.class)
@SpringBootTest(classes = Shop.class)
@DirtiesContext
abstract class WithServers {
    @Autowired
    JdbcTemplate database;

    @Autowired
    StringRedisTemplate cache;

    @Autowired
    Shop.Customers customers;

    @Autowired
    Shop.Stock stock;

    @DynamicPropertySource
    static void properties(DynamicPropertyRegistry registry) {
        registry.add("spring.datasource.url", () -> "jdbc:postgresql://127.0.0.1:" + Servers.postgres() + "/postgres");
        registry.add("spring.datasource.username", () -> "postgres");
        registry.add("spring.data.redis.host", () -> "127.0.0.1");
        registry.add("spring.data.redis.port", Servers::redis);
    }

    @BeforeEach
    void empty() {
        database.execute("TRUNCATE purchase, item, customer, task RESTART IDENTITY");
        try (RedisConnection connection = cache.getRequiredConnectionFactory().getConnection()) {
            connection.serverCommands().flushAll();
        }
    }
}
