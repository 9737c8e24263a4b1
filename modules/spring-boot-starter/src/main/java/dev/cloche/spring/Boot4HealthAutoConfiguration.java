package dev.cloche.spring;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Adds the health of Cloche to that of an application of Spring Boot 4. */
@AutoConfiguration(after = ClocheAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@SuppressWarnings("exports") // Spring makes it.
public class Boot4HealthAutoConfiguration {
    /** Makes it, for Spring. */
    public Boot4HealthAutoConfiguration() {}

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
