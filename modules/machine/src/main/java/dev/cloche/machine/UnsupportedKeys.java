package dev.cloche.machine;

import dev.cloche.machine.config.ConfigKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Holds the keys that older files and those of other programs may have, which are kept in the file. A machine whose file
 * says any of it is listed and not started, because Cloche cannot do what it asks for.
 */
public record UnsupportedKeys(
        Optional<String> kernel,
        Optional<String> cmdline,
        List<BlockDevice> blockDevices,
        Optional<String> diskPath,
        Optional<String> sshKeyPath) {
    static final UnsupportedKeys NONE =
            new UnsupportedKeys(Optional.empty(), Optional.empty(), List.of(), Optional.empty(), Optional.empty());

    public UnsupportedKeys {
        blockDevices = List.copyOf(blockDevices);
    }

    /** Returns the keys of the file that are set. */
    public List<String> keys() {
        return keysBeside(NONE);
    }

    /** Returns the keys that are set here, and not there or otherwise there. */
    public List<String> keysBeside(UnsupportedKeys other) {
        List<String> keys = new ArrayList<>();
        add(keys, ConfigKeys.KERNEL, kernel, other.kernel);
        add(keys, ConfigKeys.CMDLINE, cmdline, other.cmdline);
        if (!blockDevices.isEmpty() && !blockDevices.equals(other.blockDevices)) {
            keys.add(ConfigKeys.BLOCK_DEVICES);
        }
        add(keys, ConfigKeys.DISK_PATH, diskPath, other.diskPath);
        add(keys, ConfigKeys.SSH_KEY_PATH, sshKeyPath, other.sshKeyPath);
        return keys;
    }

    private static void add(List<String> keys, String key, Optional<String> value, Optional<String> other) {
        if (value.isPresent() && !value.equals(other)) {
            keys.add(key);
        }
    }
}
