package dev.cloche.image.registry;

import dev.cloche.image.PullFailed;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The Authorization header of one pull: found out when the registry first asks, and again when it no longer takes the
 * token. However many layers are refused at once, one of them gets the new token for all. Thread-safe.
 */
final class RegistryAccess {
    /** Says how the registry is asked, and what can go wrong with it. */
    interface Ways {
        /** Asks the token server. */
        String token(FetchToken fetch);

        /** Returns the login for the registry. */
        Optional<Credential> login();

        /** Returns the address of the token server, if it may be spoken to. */
        URI realm(String address);

        /** The registry refused, and there is nothing to answer it with. */
        PullFailed refused();
    }

    private final ReentrantLock asking = new ReentrantLock();
    private final String defaultScope;
    private volatile String header = "";
    private Optional<Credential> login = Optional.empty();
    private boolean loginKnown;

    /** @param defaultScope what a token is for, if the registry does not say; may be empty */
    RegistryAccess(String defaultScope) {
        this.defaultScope = defaultScope;
    }

    /** Empty until the registry has asked for it. */
    String header() {
        return header;
    }

    /**
     * Returns the answer to a challenge.
     *
     * @param used the header that was refused
     */
    String answer(Optional<Challenge> challenge, String used, Ways ways) {
        asking.lock();
        try {
            if (!header.equals(used)) {
                return header;
            }
            String fresh = fresh(challenge, ways);
            header = fresh;
            return fresh;
        } finally {
            asking.unlock();
        }
    }

    private String fresh(Optional<Challenge> challenge, Ways ways) {
        Challenge asked = challenge.orElseThrow(ways::refused);
        Optional<Credential> known = login(ways);
        if (asked.scheme().equals("bearer")) {
            return "Bearer "
                    + ways.token(new FetchToken(
                            ways.realm(asked.parameters().getOrDefault("realm", "")),
                            asked.parameters().getOrDefault("service", ""),
                            asked.parameters().getOrDefault("scope", defaultScope),
                            known));
        }
        if (known.isPresent() && known.get() instanceof Credential.Basic basic && !header.equals(basic.header())) {
            return basic.header();
        }
        throw ways.refused();
    }

    private Optional<Credential> login(Ways ways) {
        if (!loginKnown) {
            login = ways.login();
            loginKnown = true;
        }
        return login;
    }
}
