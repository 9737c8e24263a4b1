package dev.cloche.cli.pool;

import dev.cloche.TemplateInfo;
import dev.cloche.cli.terminal.JsonOutput;

/** How a template is read out. */
final class TemplateFields {
    private TemplateFields() {}

    static void write(JsonOutput json, TemplateInfo template) {
        json.object(() -> json.field("name", template.name())
                .field("image", template.image())
                .field("memoryMib", template.memoryMib())
                .field("cpus", template.cpus())
                .field("createdAt", template.createdAt())
                .field("lastUsedAt", template.lastUsedAt())
                .field("usable", template.usable()));
    }
}
