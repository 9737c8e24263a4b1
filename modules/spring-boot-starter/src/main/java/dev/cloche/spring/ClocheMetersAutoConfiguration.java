package dev.cloche.spring;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.micrometer.ClocheMeters;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Puts what happens with sandboxes into the meters and observations of the application, where it has some. */
@AutoConfiguration(
        before = ClocheAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, ObservationRegistry.class})
@ConditionalOnBean(MeterRegistry.class)
@SuppressWarnings("exports") // Spring makes it.
public class ClocheMetersAutoConfiguration {
    /** Makes it, for Spring. */
    public ClocheMetersAutoConfiguration() {}

    /** Returns meters, with observations if the application has a registry of them. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    public ClocheMeters clocheMeters(MeterRegistry meters, ObjectProvider<ObservationRegistry> observations) {
        ObservationRegistry observed = observations.getIfUnique();
        return observed == null ? new ClocheMeters(meters) : new ClocheMeters(meters, observed);
    }

    /** Lets them listen. */
    @Bean
    @Lazy
    public ClocheCustomizer clocheMetersCustomizer(ClocheMeters meters) {
        return new ClocheCustomizer() {
            @Override
            public ClocheOptions customize(ClocheOptions options) {
                return meters.listening(options);
            }

            @Override
            public void opened(Cloche cloche) {
                meters.bindTo(cloche);
            }
        };
    }
}
