package dev.cloche.linux;

/**
 * Describes the system that a JVM runs on.
 *
 * @param name as the JVM names it, for example {@code Linux}
 * @param architecture as the JVM names it, for example {@code amd64}
 */
public record HostSystem(String name, String architecture) {
    /** Returns that of this JVM. */
    public static HostSystem ofThisJvm() {
        return new HostSystem(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    }

    /** Returns whether there are VMs, native calls and an agent for it. */
    public boolean isSupported() {
        return name.equals("Linux") && architecture.equals("amd64");
    }
}
