package dev.cloche.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What older files and those of other programs may say, which is kept in the file. A machine whose file says any of it is
 * listed and not started, because Cloche cannot do what it asks for.
 */
public record ForeignParts(
        Optional<String> kernel,
        Optional<String> cmdline,
        List<BlockDevice> blockDevices,
        Optional<String> diskPath,
        Optional<String> sshKeyPath) {
    static final ForeignParts NONE =
            new ForeignParts(Optional.empty(), Optional.empty(), List.of(), Optional.empty(), Optional.empty());

    public ForeignParts {
        blockDevices = List.copyOf(blockDevices);
    }

    /** The keys of the file that are set. */
    List<String> keys() {
        List<String> keys = new ArrayList<>();
        kernel.ifPresent(_ -> keys.add("kernel"));
        cmdline.ifPresent(_ -> keys.add("cmdline"));
        if (!blockDevices.isEmpty()) {
            keys.add("block_devices");
        }
        diskPath.ifPresent(_ -> keys.add("disk_path"));
        sshKeyPath.ifPresent(_ -> keys.add("ssh_key_path"));
        return keys;
    }
}
