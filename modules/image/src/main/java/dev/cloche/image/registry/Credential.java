package dev.cloche.image.registry;

import dev.cloche.base.JsonValue;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** Says what proves to a registry who asks. The text of none shows its secret. */
public sealed interface Credential {
    /** As this user, Docker's helpers and files give an identity token instead of a password. */
    String TOKEN_USER = "<token>";

    /**
     * User and password, ready for the Authorization header.
     *
     * @param encoded {@code user:password} in base 64
     */
    record Basic(String encoded) implements Credential {
        String header() {
            return "Basic " + encoded;
        }

        @Override
        public String toString() {
            return "a password";
        }
    }

    /** Describes an OAuth 2 refresh token, for which a token server gives access tokens. */
    record IdentityToken(String token) implements Credential {
        @Override
        public String toString() {
            return "an identity token";
        }
    }

    static Credential password(String user, String password) {
        return new Basic(Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns that of what a helper answers: a password, or a token under {@link #TOKEN_USER}; empty without a secret. */
    static Optional<Credential> of(String user, String secret) {
        if (secret.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(user.equals(TOKEN_USER) ? new IdentityToken(secret) : password(user, secret));
    }

    /** Returns an entry of {@code auths} in Docker's config.json; empty if it has no login, as beside a helper. */
    static Optional<Credential> of(JsonValue.Fields entry) {
        Optional<String> token = entry.text("identitytoken").filter(text -> !text.isEmpty());
        if (token.isPresent()) {
            return token.map(IdentityToken::new);
        }
        Optional<String> encoded = entry.text("auth").filter(auth -> !auth.isEmpty());
        if (encoded.isPresent()) {
            return encoded.filter(Credential::isUserAndPassword).map(Basic::new);
        }
        return entry.text("username").flatMap(user -> entry.text("password").map(password -> password(user, password)));
    }

    /** Base 64 it must be, so that nothing from a file can end the header and begin another. */
    private static boolean isUserAndPassword(String text) {
        try {
            return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8).indexOf(':') >= 0;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
