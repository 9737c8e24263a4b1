package dev.cloche.process.value;

import dev.cloche.process.Json;
import dev.cloche.process.ProcessException;
import java.util.ArrayList;
import java.util.List;

/** Reads strings with the names of members in braces. Stateless. */
public final class TextTemplates {
    /** Is a piece of a template: text, or the name of a member. */
    public sealed interface Part {
        /** Stands as it is. */
        record Text(String text) implements Part {}

        /** Stands for the member of that name. */
        record Field(String name) implements Part {}
    }

    private TextTemplates() {}

    public static List<Part> parse(String template) {
        if (template.length() > Json.LONGEST / 16) {
            throw new ProcessException.Invalid("a template is too long");
        }
        List<Part> parts = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < template.length(); i++) {
            char c = template.charAt(i);
            boolean doubled = i + 1 < template.length() && template.charAt(i + 1) == c;
            if ((c == '{' || c == '}') && doubled) {
                text.append(c);
                i++;
            } else if (c == '{') {
                int end = template.indexOf('}', i);
                if (end <= i + 1) {
                    throw new ProcessException.Invalid("a template has a brace that is not closed, or is empty");
                }
                parts.add(new Part.Text(text.toString()));
                parts.add(new Part.Field(template.substring(i + 1, end)));
                text.setLength(0);
                i = end;
            } else if (c == '}') {
                throw new ProcessException.Invalid("a template has a brace that was not opened");
            } else {
                text.append(c);
            }
        }
        parts.add(new Part.Text(text.toString()));
        return List.copyOf(parts);
    }
}
