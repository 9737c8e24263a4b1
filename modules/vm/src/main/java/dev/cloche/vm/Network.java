package dev.cloche.vm;

/** Says what network a guest has. */
public enum Network {
    /** None, which is the default: the guest has no network device at all. */
    NONE,
    /**
     * What this user's programs reach by IPv4, but for this host itself at all of its addresses. Needs passt. Nothing outside
     * reaches the guest but through ports that are published.
     */
    USER
}
