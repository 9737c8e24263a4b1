package dev.cloche;

/** What network a sandbox has. */
public enum Network {
    /** None, which is the default: the guest has no network device at all. */
    NONE,
    /**
     * What this user's programs reach by IPv4, but for this host itself, whatever its addresses. Needs passt. Nothing
     * outside reaches the sandbox but through ports that are published.
     */
    USER
}
