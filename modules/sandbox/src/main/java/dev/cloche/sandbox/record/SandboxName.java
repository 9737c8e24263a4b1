package dev.cloche.sandbox.record;

import dev.cloche.sandbox.SandboxException;
import java.security.SecureRandom;
import java.util.regex.Pattern;

/** Checks and generates names of sandboxes, which are also the host names of their guests. */
public final class SandboxName {
    private static final Pattern RULE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final String ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";
    private static final SecureRandom RANDOM = new SecureRandom();

    private SandboxName() {}

    /**
     * Returns the name, if it keeps the rule.
     *
     * @throws SandboxException.InvalidSpecification if the name breaks the rule
     */
    public static String validated(String name) {
        if (!RULE.matcher(name).matches()) {
            throw new SandboxException.InvalidSpecification(
                    "\"" + name + "\" is not a name for a sandbox.",
                    "Use 1 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit.");
        }
        return name;
    }

    /** Returns a name for a sandbox that was given none: unique with near certainty, the catalog has the last word. */
    public static String generated() {
        StringBuilder name = new StringBuilder("sb-");
        for (int i = 0; i < 8; i++) {
            name.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
        }
        return name.toString();
    }
}
