package dev.cloche.image;

import org.jspecify.annotations.Nullable;

/** A login was not taken by its registry, or could not be kept. What was kept before is untouched. */
public final class LoginFailed extends ImageException {
    private final String registry;

    LoginFailed(String registry, String what, String remedy, @Nullable Throwable cause) {
        super("image.login-failed", "Logging in to " + registry + " failed: " + what + ".", remedy, cause);
        this.registry = registry;
    }

    /** Returns the registry, as it was given. */
    public String registry() {
        return registry;
    }
}
