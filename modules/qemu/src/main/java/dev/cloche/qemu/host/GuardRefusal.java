package dev.cloche.qemu.host;

import dev.cloche.base.Printable;
import dev.cloche.qemu.VmResources;
import dev.cloche.vm.VmException;

/** Understands why a guard refuses to build what is asked for; docs/guard.md has its sentences. */
public final class GuardRefusal {
    private static final String ISOLATION = "failed the isolation ";
    private static final String GROUP = "failed the group ";
    private static final String UNKNOWN = "failed unknown option ";

    private GuardRefusal() {}

    /**
     * Looks at the one line that a guard says.
     *
     * @throws VmException.IsolationUnavailable if less than the least walls is to be had
     * @throws VmException.MissingResource if the guard is older than this library, or the control group that the configuration
     *     names is not to be had
     */
    public static void check(String said, VmResources resources) {
        if (said.startsWith(ISOLATION)) {
            throw new VmException.IsolationUnavailable(Printable.of(said.substring(ISOLATION.length())));
        }
        if (said.startsWith(GROUP)) {
            throw new VmException.MissingResource(
                    "The control " + Printable.of(said.substring("failed the ".length())),
                    "Name one that is left to this user and to this process in control-group of [limits] in config.toml,"
                            + " or write \"auto\".",
                    null);
        }
        if (said.startsWith(UNKNOWN)) {
            throw new VmException.MissingResource(
                    "The guard " + resources.guard() + " is older than this library: it does not know "
                            + Printable.of(said.substring(UNKNOWN.length())),
                    resources.origin().remedy(),
                    null);
        }
    }
}
