package dev.cloche.sandbox.lifecycle;

import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxSpec;

/** Says what no sandbox can have on this host, known before anything is done for it. */
public final class HostLimits {
    private HostLimits() {}

    /**
     * Refuses a guest with more processors than the host: it runs for a long time before it fails, because they wait for each
     * other.
     *
     * @throws SandboxException.InvalidSpecification if this host cannot give what is asked for
     */
    public static void check(SandboxSpec spec) {
        int processors = Runtime.getRuntime().availableProcessors();
        if (spec.cpus() > processors) {
            throw new SandboxException.InvalidSpecification(
                    spec.cpus() + " CPUs are more than the " + processors + " of this host.",
                    "Give at most " + processors + ".");
        }
    }
}
