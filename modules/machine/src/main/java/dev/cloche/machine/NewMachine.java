package dev.cloche.machine;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Describes a machine to make.
 *
 * @param image reference of its image, as in Docker
 * @param provision script on this host that runs once in it, at its first start; at most 1 MiB
 */
public record NewMachine(
        MachineName name,
        String image,
        MachineResources resources,
        MachineSettings settings,
        Optional<Path> provision) {
    /** Returns one with defaults in all other parts. */
    public static NewMachine of(MachineName name, String image) {
        return new NewMachine(name, image, MachineResources.DEFAULTS, MachineSettings.DEFAULTS, Optional.empty());
    }

    public NewMachine withResources(MachineResources value) {
        return new NewMachine(name, image, value, settings, provision);
    }

    public NewMachine withSettings(MachineSettings value) {
        return new NewMachine(name, image, resources, value, provision);
    }

    public NewMachine withProvision(Path script) {
        return new NewMachine(name, image, resources, settings, Optional.of(script));
    }
}
