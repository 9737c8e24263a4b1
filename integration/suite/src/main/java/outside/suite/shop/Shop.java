package outside.suite.shop;

import java.time.Duration;
import java.util.Optional;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Transactional;

/** The application: a shop with its records in PostgreSQL, and prices and baskets in Redis. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({Shop.Customers.class, Shop.Stock.class, Shop.Prices.class, Shop.Baskets.class})
public class Shop {
    @Service
    public static class Customers {
        private final JdbcTemplate database;

        Customers(JdbcTemplate database) {
            this.database = database;
        }

        public long add(String name) {
            return database.queryForObject("INSERT INTO customer (name) VALUES (?) RETURNING id", Long.class, name);
        }

        public Optional<Long> find(String name) {
            return database.queryForList("SELECT id FROM customer WHERE name = ?", Long.class, name).stream().findFirst();
        }
    }

    @Service
    public static class Stock {
        private final JdbcTemplate database;

        Stock(JdbcTemplate database) {
            this.database = database;
        }

        public long add(String name, int cents, int stock) {
            return database.queryForObject(
                    "INSERT INTO item (name, cents, stock) VALUES (?, ?, ?) RETURNING id", Long.class, name, cents, stock);
        }

        public int left(long item) {
            return database.queryForObject("SELECT stock FROM item WHERE id = ?", Integer.class, item);
        }

        /** Both or neither. */
        @Transactional
        public void buy(long customer, long item, int quantity) {
            database.update(
                    "INSERT INTO purchase (customer, item, quantity) VALUES (?, ?, ?)", customer, item, quantity);
            database.update("UPDATE item SET stock = stock - ? WHERE id = ?", quantity, item);
        }
    }

    @Service
    public static class Prices {
        private final JdbcTemplate database;
        private final StringRedisTemplate cache;

        Prices(JdbcTemplate database, StringRedisTemplate cache) {
            this.database = database;
            this.cache = cache;
        }

        public int of(long item) {
            String known = cache.opsForValue().get("price:" + item);
            if (known != null) {
                return Integer.parseInt(known);
            }
            Integer cents = database.queryForObject("SELECT cents FROM item WHERE id = ?", Integer.class, item);
            if (cents == null) {
                throw new EmptyResultDataAccessException(1);
            }
            cache.opsForValue().set("price:" + item, cents.toString(), Duration.ofMinutes(5));
            return cents;
        }
    }

    @Service
    public static class Baskets {
        private final StringRedisTemplate cache;
        private final Stock stock;

        Baskets(StringRedisTemplate cache, Stock stock) {
            this.cache = cache;
            this.stock = stock;
        }

        public void put(long customer, long item, int quantity) {
            cache.opsForHash().increment("basket:" + customer, Long.toString(item), quantity);
        }

        public int size(long customer) {
            return cache.opsForHash().size("basket:" + customer).intValue();
        }

        public void order(long customer) {
            cache.opsForHash().entries("basket:" + customer).forEach((item, quantity) -> stock.buy(
                    customer, Long.parseLong(item.toString()), Integer.parseInt(quantity.toString())));
            cache.delete("basket:" + customer);
        }
    }
}
