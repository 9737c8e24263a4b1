package dev.cloche.qemu.host;

import dev.cloche.base.EnumNames;
import dev.cloche.qemu.VmResources;
import dev.cloche.qemu.guard.IsolationRecord;
import dev.cloche.qemu.guard.ProbeDirectory;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmIsolation;
import dev.cloche.vm.VmLimits;
import dev.cloche.vmm.VmWaits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds out which walls a VM would get here, by having a guard build them around a program that does nothing. */
public final class IsolationProbe {
    private static final String TRIED_BYTES = String.valueOf(64 << 20);

    private final VmResources resources;
    private final Path workspace;
    private final Isolation least;
    private final VmLimits.Group group;

    /**
     * @param workspace a private directory
     * @param least what is accepted
     * @param group where a VM's control group is made
     */
    public IsolationProbe(VmResources resources, Path workspace, Isolation least, VmLimits.Group group) {
        this.resources = resources;
        this.workspace = workspace;
        this.least = least;
        this.group = group;
    }

    /**
     * Builds them.
     *
     * @throws VmException.IsolationUnavailable if less is to be had
     * @throws VmException.MissingResource if the guard cannot be tried, or a group that was named is not to be had
     */
    public VmIsolation find() {
        try (ProbeDirectory directory = ProbeDirectory.open(workspace)) {
            return tried(directory.path());
        } catch (IOException e) {
            throw new VmException.MissingResource(
                    "It cannot be tried which walls VMs get here: " + e.getMessage(),
                    resources.origin().remedy(),
                    e);
        } catch (InterruptedException e) {
            throw VmWaits.interrupted("trying the walls around a VM");
        }
    }

    private VmIsolation tried(Path directory) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                resources.guard().toString(), "--dir", directory.toString(), "--isolation", EnumNames.of(least)));
        if (!(group instanceof VmLimits.Group.None)) {
            command.addAll(GroupOptions.of(group));
            command.addAll(List.of("--group-memory", TRIED_BYTES, "--group-tasks", "16", "--group-weight", "100"));
        }
        command.addAll(List.of("--", resources.clockMeter().toString()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().clear();
        Process guard = builder.start();
        String said = String.valueOf(guard.inputReader().readLine());
        guard.waitFor();
        GuardRefusal.check(said, resources);
        return IsolationRecord.read(directory);
    }
}
