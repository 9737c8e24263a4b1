package dev.cloche;

import dev.cloche.sandbox.Template;
import java.time.Instant;
import java.util.Optional;

/**
 * A template, as it is now.
 *
 * <pre>{@code
 * cloche.templates().list().forEach(template -> System.out.println(template.name() + " " + template.memoryMib()));
 * }</pre>
 *
 * @param image digest of its image's manifest
 * @param lastUsedAt when a sandbox was last started from it, or it was made
 * @param usable whether its image is still there
 */
public record TemplateInfo(
        String name,
        Optional<String> image,
        int memoryMib,
        int cpus,
        Instant createdAt,
        Instant lastUsedAt,
        boolean usable) {
    static TemplateInfo of(Template template) {
        return new TemplateInfo(
                template.name(),
                template.image(),
                template.memoryMib(),
                template.cpus(),
                template.createdAt(),
                template.lastUsedAt(),
                template.usable());
    }
}
