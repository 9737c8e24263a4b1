package dev.cloche.machine.lifecycle;

import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.config.ConfigKeys;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.tomlj.Toml;

/** Finds what a machine whose file is broken has outside of its directory, as far as the file still says so. */
public final class BrokenMachineResources {
    private final MachineContext context;

    public BrokenMachineResources(MachineContext context) {
        this.context = context;
    }

    /** Returns the VM that its file names, if that can be read and the directory has the name of a machine. */
    public Optional<VmId> vm(String directory) {
        try {
            return vm(context.store().text(new MachineName(directory)));
        } catch (MachineException unreadable) {
            return Optional.empty();
        }
    }

    private static Optional<VmId> vm(byte[] text) {
        Object word = Toml.parse(new String(text, StandardCharsets.UTF_8)).get(List.of(ConfigKeys.VM_ID));
        try {
            return word instanceof String id ? Optional.of(new VmId(id)) : Optional.empty();
        } catch (VmException.Invalid none) {
            return Optional.empty();
        }
    }
}
