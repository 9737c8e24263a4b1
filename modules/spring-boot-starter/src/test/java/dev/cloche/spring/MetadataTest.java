package dev.cloche.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The metadata by which editors complete and check properties. */
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
}
