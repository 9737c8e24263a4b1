package outside.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SessionsTest extends WithServers {
    @Test
    void aSessionEndsByItself() {
        cache.opsForValue().set("session:1", "Ada", Duration.ofMinutes(10));
        assertThat(cache.getExpire("session:1")).isBetween(1L, 600L);
        assertThat(cache.opsForValue().setIfAbsent("session:1", "Bob")).isFalse();
        assertThat(cache.opsForValue().getAndDelete("session:1")).isEqualTo("Ada");
        assertThat(cache.hasKey("session:1")).isFalse();
    }
}
