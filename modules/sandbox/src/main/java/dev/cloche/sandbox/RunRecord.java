package dev.cloche.sandbox;

import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vm.VmId;
import java.time.Instant;
import java.util.Optional;

/**
 * One execution of a sandbox's VM.
 *
 * @param owner the process that started it
 * @param ending how it ended; empty while it runs
 */
public record RunRecord(
        long id, VmId vm, boolean detached, ProcessIdentity owner, Instant startedAt, Optional<Ending> ending) {}
