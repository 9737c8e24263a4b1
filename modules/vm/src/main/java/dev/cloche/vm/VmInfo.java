package dev.cloche.vm;

import dev.cloche.linux.ProcessIdentity;
import java.util.Optional;

/**
 * Says what is known of a VM from the outside.
 *
 * @param state as its lock and files tell; a paused VM of another process is {@link VmState#RUNNING} here
 * @param guard the process that is its parent, while it lives
 * @param exit how it ended, if it has
 */
public record VmInfo(VmId id, VmState state, Optional<ProcessIdentity> guard, Optional<VmExit> exit) {}
