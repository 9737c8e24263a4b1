package dev.cloche.spring;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Has a {@link Cloche}, which is opened when a bean needs it or a pool is to be set, and closed with the application: after web
 * servers have answered what they were asked, and after the beans that use it.
 */
@AutoConfiguration
@EnableConfigurationProperties(ClocheProperties.class)
@SuppressWarnings("exports") // Spring makes it.
public class ClocheAutoConfiguration {
    /** Is called by Spring. */
    public ClocheAutoConfiguration() {}

    /** Returns the options of the environment, as properties and customizers change them. */
    @Bean
    @ConditionalOnMissingBean
    public ClocheOptions clocheOptions(ClocheProperties properties, ObjectProvider<ClocheCustomizer> customizers) {
        ClocheOptions options = properties.applied(ClocheOptions.ofEnvironment());
        for (ClocheCustomizer customizer : customizers.orderedStream().toList()) {
            options = customizer.customize(options);
        }
        return options;
    }

    /** Opens it. */
    @Bean(destroyMethod = "close")
    @Lazy
    @ConditionalOnMissingBean
    public Cloche cloche(ClocheOptions options, ObjectProvider<ClocheCustomizer> customizers) {
        Cloche cloche = Cloche.open(options);
        customizers.orderedStream().forEach(customizer -> customizer.opened(cloche));
        return cloche;
    }

    /** Sets the pools of the properties, once all beans are there. */
    @Bean
    public SmartInitializingSingleton clochePools(ClocheProperties properties, ObjectProvider<Cloche> cloche) {
        return () ->
                properties.pools().forEach(pool -> pool.set(cloche.getObject().pools()));
    }
}
