package dev.cloche.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;

/** The metadata by which editors complete and check properties, and Spring Boot leaves out what does not apply. */
class MetadataTest {
    @Test
    void everyPropertyHasADescription() throws IOException {
        String metadata;
        try (InputStream resource =
                ClocheProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(resource).isNotNull();
            metadata = new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        }
        Set<String> described = Pattern.compile("\"name\": \"cloche\\.([a-z-]+)\",[^}]*?\"description\": \"[^\"]+\"")
                .matcher(metadata)
                .results()
                .map(property -> property.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(described)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(ClocheProperties.class.getRecordComponents())
                        .map(RecordComponent::getName)
                        .toList());
    }

    @Test
    void theConditionsOfEveryAutoConfigurationAreWrittenDown() throws Exception {
        Properties written = new Properties();
        Properties expected = new Properties();
        try (InputStream metadata = resource("/META-INF/spring-autoconfigure-metadata.properties");
                InputStream imports =
                        resource("/META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports")) {
            written.load(metadata);
            for (String name : new String(imports.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList()) {
                conditions(Class.forName(name), expected);
            }
        }
        assertThat(written).hasSizeGreaterThan(5).containsExactlyInAnyOrderEntriesOf(expected);
    }

    private static void conditions(Class<?> configuration, Properties to) {
        String name = configuration.getName();
        AutoConfiguration order = configuration.getAnnotation(AutoConfiguration.class);
        to.put(name, "");
        put(to, name + ".AutoConfigureAfter", names(order.after()), Stream.of(order.afterName()));
        put(to, name + ".AutoConfigureBefore", names(order.before()), Stream.of(order.beforeName()));
        Optional.ofNullable(configuration.getAnnotation(ConditionalOnClass.class))
                .ifPresent(classes ->
                        put(to, name + ".ConditionalOnClass", names(classes.value()), Stream.of(classes.name())));
        Optional.ofNullable(configuration.getAnnotation(ConditionalOnBean.class))
                .ifPresent(
                        beans -> put(to, name + ".ConditionalOnBean", names(beans.value()), Stream.of(beans.type())));
    }

    private static Stream<String> names(Class<?>[] classes) {
        return Stream.of(classes).map(Class::getName);
    }

    private static void put(Properties to, String key, Stream<String> classes, Stream<String> names) {
        String all = Stream.concat(classes, names).sorted().collect(Collectors.joining(","));
        if (!all.isEmpty()) {
            to.put(key, all);
        }
    }

    private static InputStream resource(String name) {
        return Objects.requireNonNull(ClocheProperties.class.getResourceAsStream(name));
    }
}
