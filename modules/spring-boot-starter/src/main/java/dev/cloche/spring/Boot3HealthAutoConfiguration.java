package dev.cloche.spring;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Adds the health of Cloche to that of an application of Spring Boot 3.5. */
@AutoConfiguration(after = ClocheAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@SuppressWarnings("exports") // Spring makes it.
public class Boot3HealthAutoConfiguration {
    /** Makes it, for Spring. */
    public Boot3HealthAutoConfiguration() {}

    /** Returns the indicator. */
    @Bean
    @ConditionalOnEnabledHealthIndicator("cloche")
    @ConditionalOnMissingBean(name = "clocheHealthIndicator")
    public HealthIndicator clocheHealthIndicator(ConfigurableListableBeanFactory beans) {
        ClocheState state = new ClocheState(beans);
        return new AbstractHealthIndicator("Cloche cannot be asked") {
            @Override
            protected void doHealthCheck(Health.Builder builder) {
                ClocheState.Health now = state.health();
                switch (now.verdict()) {
                    case UP -> builder.up();
                    case DOWN -> builder.down();
                    case UNKNOWN -> builder.unknown();
                }
                builder.withDetails(now.details());
            }
        };
    }
}
