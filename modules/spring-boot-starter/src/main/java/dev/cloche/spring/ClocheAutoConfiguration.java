package dev.cloche.spring;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import java.util.List;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/**
 * Has a {@link Cloche}, which is opened when a bean needs it or a pool is to be set, while the application makes its other
 * beans, and closed with the application: after web servers have answered what they were asked, and after the beans that use it.
 */
@AutoConfiguration
@EnableConfigurationProperties(ClocheProperties.class)
@SuppressWarnings("exports") // Spring makes it.
public class ClocheAutoConfiguration {
    /** Makes it, for Spring. */
    public ClocheAutoConfiguration() {}

    /** Returns the options of the environment, as properties and customizers change them. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    public ClocheOptions clocheOptions(ClocheProperties properties, ObjectProvider<ClocheCustomizer> customizers) {
        ClocheOptions options = AppliedProperties.to(ClocheOptions.ofEnvironment(), properties);
        for (ClocheCustomizer customizer : customizers.orderedStream().toList()) {
            options = customizer.customize(options);
        }
        return options;
    }

    /** Returns one that is opened meanwhile, by the time that the application has started. */
    @Bean(destroyMethod = "close")
    @Lazy
    @ConditionalOnMissingBean
    public Cloche cloche(
            ClocheOptions options, ObjectProvider<ClocheCustomizer> customizers, ClocheOpening clocheOpening) {
        Cloche cloche = Cloche.openOnFirstUse(options);
        clocheOpening.begin(cloche, customizers.orderedStream().toList());
        return cloche;
    }

    /** Sets the pools of the properties, once all beans are there, and has the start wait until it is open. */
    @Bean
    ClocheOpening clocheOpening(ApplicationContext context) {
        return new ClocheOpening(context);
    }

    /**
     * Tells Spring that no method of these beans listens to events. It would look for itself, and load all classes that stand in
     * their signatures, also where no bean needs them.
     */
    @Bean
    static BeanFactoryPostProcessor clocheListensToNothing() {
        return factory -> {
            for (String name : List.of("cloche", "clocheOptions")) {
                if (factory.containsBeanDefinition(name)
                        && factory.getBeanDefinition(name).getFactoryBeanName() != null) {
                    factory.getBeanDefinition(name)
                            .setAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE, Object.class);
                }
            }
        };
    }
}
