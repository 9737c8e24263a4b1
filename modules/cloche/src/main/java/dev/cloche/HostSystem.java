package dev.cloche;

/**
 * Describes the system that a JVM runs on.
 *
 * @param name as the JVM names it, for example {@code Linux}
 * @param architecture as the JVM names it, for example {@code amd64}
 */
record HostSystem(String name, String architecture) {
    static HostSystem ofThisJvm() {
        return new HostSystem(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    }

    /** Returns whether there are VMs, native calls and an agent for it. */
    boolean isSupported() {
        return name.equals("Linux") && architecture.equals("amd64");
    }

    /** @throws HostException.Unsupported if it is not supported */
    void requireSupport() {
        if (!isSupported()) {
            throw new HostException.Unsupported(this);
        }
    }
}
