package dev.cloche.sandbox.record;

import dev.cloche.sandbox.SandboxException;
import java.util.Map;
import java.util.regex.Pattern;

/** Checks labels: what people and programs say of a sandbox, and find it by. */
public final class SandboxLabels {
    private static final int MOST = 64;
    private static final int LONGEST_VALUE = 1024;
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._/-]{0,126}[A-Za-z0-9])?");

    private SandboxLabels() {}

    /**
     * Returns the labels in their order, if they keep the rule.
     *
     * @throws SandboxException.InvalidSpecification if they break the rule
     */
    public static Map<String, String> validated(Map<String, String> labels) {
        if (labels.size() > MOST) {
            throw new SandboxException.InvalidSpecification(
                    labels.size() + " labels are too many.", "Give at most " + MOST + ".");
        }
        labels.forEach(SandboxLabels::check);
        return Map.copyOf(labels);
    }

    private static void check(String key, String value) {
        if (!KEY.matcher(key).matches()) {
            throw new SandboxException.InvalidSpecification(
                    "\"" + key.replace("\0", "\\0") + "\" is not a label.",
                    "Use 1 to 128 of A-Z, a-z, 0-9 and . _ / -, beginning and ending with a letter or digit.");
        }
        if (value.length() > LONGEST_VALUE || value.chars().anyMatch(Character::isISOControl)) {
            throw new SandboxException.InvalidSpecification(
                    "The value of the label \"" + key + "\" is too long or has control characters.",
                    "Use at most " + LONGEST_VALUE + " printable characters.");
        }
    }
}
