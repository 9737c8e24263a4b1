package dev.cloche.qemu.host;

import dev.cloche.base.Printable;
import dev.cloche.qemu.VmResources;
import dev.cloche.vm.VmException;

/** Understands why a guard refuses to build what is asked for; docs/guard.md has its sentences. */
public final class GuardRefusal {
    private static final String ISOLATION = "failed the isolation ";
    private static final String UNKNOWN = "failed unknown option ";

    private GuardRefusal() {}

    /**
     * Looks at the one line that a guard says.
     *
     * @throws VmException.IsolationUnavailable if less than the least walls is to be had
     * @throws VmException.MissingResource if the guard is older than this library
     */
    public static void check(String said, VmResources resources) {
        if (said.startsWith(ISOLATION)) {
            throw new VmException.IsolationUnavailable(Printable.of(said.substring(ISOLATION.length())));
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
