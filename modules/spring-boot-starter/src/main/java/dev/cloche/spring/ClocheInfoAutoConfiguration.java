package dev.cloche.spring;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Adds to the information of an application where Cloche keeps its state, and which pools it is to have. */
@AutoConfiguration(after = ClocheAutoConfiguration.class)
@ConditionalOnClass({InfoContributor.class, ConditionalOnEnabledInfoContributor.class})
@SuppressWarnings("exports") // Spring makes it.
public class ClocheInfoAutoConfiguration {
    /** Makes it, for Spring. */
    public ClocheInfoAutoConfiguration() {}

    /** Returns the contributor. */
    @Bean
    @ConditionalOnEnabledInfoContributor("cloche")
    @ConditionalOnMissingBean(name = "clocheInfoContributor")
    public InfoContributor clocheInfoContributor(BeanFactory beans) {
        return builder -> builder.withDetail(
                "cloche",
                Map.of(
                        "supported",
                        Cloche.isSupported(),
                        "home",
                        beans.getBean(ClocheOptions.class).home().toString(),
                        "pools",
                        pools(beans.getBean(ClocheProperties.class))));
    }

    private static List<String> pools(ClocheProperties properties) {
        return properties.pools().stream().map(ClocheProperties.Pool::image).toList();
    }
}
