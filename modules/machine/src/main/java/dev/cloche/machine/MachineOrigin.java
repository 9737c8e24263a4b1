package dev.cloche.machine;

import java.util.Optional;

/**
 * Says what a machine's root is made of.
 *
 * @param image reference of its image, as in Docker; files of other programs have none
 * @param imageDigest what the reference meant when the machine was made: what is on its disk belongs to that image
 * @param distro name of its distribution, a note for people
 * @param distroVersion release of its distribution, a note for people
 */
public record MachineOrigin(
        Optional<String> image, Optional<String> imageDigest, Optional<String> distro, Optional<String> distroVersion) {
    static final MachineOrigin UNKNOWN =
            new MachineOrigin(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    public static MachineOrigin of(String image) {
        return new MachineOrigin(Optional.of(image), Optional.empty(), Optional.empty(), Optional.empty());
    }

    public MachineOrigin withImageDigest(String value) {
        return new MachineOrigin(image, Optional.of(value), distro, distroVersion);
    }
}
