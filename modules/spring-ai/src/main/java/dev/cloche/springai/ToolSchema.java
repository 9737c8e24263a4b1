package dev.cloche.springai;

import java.util.List;
import java.util.Map;

/** Writes the JSON schemas of what tools are given. Stateless. */
final class ToolSchema {
    private ToolSchema() {}

    /** @param description without quotation marks and line breaks */
    static String text(String description) {
        return "{\"type\": \"string\", \"description\": \"" + description + "\"}";
    }

    /** @param properties their schemas; all are required */
    static String of(Map<String, String> properties) {
        StringBuilder text = new StringBuilder("{\"type\": \"object\", \"properties\": {");
        List<String> names = properties.keySet().stream().sorted().toList();
        for (String name : names) {
            text.append(name.equals(names.getFirst()) ? "" : ", ")
                    .append('"')
                    .append(name)
                    .append("\": ")
                    .append(properties.get(name));
        }
        return text.append("}, \"required\": [\"")
                .append(String.join("\", \"", names))
                .append("\"], \"additionalProperties\": false}")
                .toString();
    }
}
