package dev.cloche.machine.config;

import dev.cloche.base.EnumNames;
import dev.cloche.machine.MachineOrigin;
import dev.cloche.machine.MachineSettings;
import dev.cloche.machine.MachineStatus;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.UnsupportedKeys;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Holds the values of a machine's file, in the order in which a new one has them. */
final class MachineValues {
    private final Map<String, Object> values = new LinkedHashMap<>();

    private MachineValues() {}

    /** Strings, longs, booleans, dates, lists and maps of strings, and lists of maps; what is absent has no key. */
    static Map<String, Object> of(PersistedMachine machine) {
        MachineValues out = new MachineValues();
        MachineOrigin origin = machine.origin();
        MachineSettings settings = machine.settings();
        UnsupportedKeys foreign = machine.foreign();
        MachineStatus status = machine.status();
        out.put(ConfigKeys.NAME, machine.name().value());
        out.text(ConfigKeys.IMAGE, origin.image());
        out.put(ConfigKeys.CPUS, (long) machine.resources().cpus());
        out.put(ConfigKeys.MEMORY_MB, (long) machine.resources().memoryMb());
        out.put(ConfigKeys.DISK_GB, (long) machine.resources().diskGb());
        out.put(ConfigKeys.INIT, settings.init().value());
        out.put(ConfigKeys.NETWORK, EnumNames.of(settings.network()));
        out.put(ConfigKeys.PUBLISH, settings.publish());
        out.put(ConfigKeys.AUTOSTART, settings.autostart());
        out.put(ConfigKeys.RESTART_POLICY, settings.restartPolicy().word());
        out.text(ConfigKeys.ISOLATION, settings.isolation().map(EnumNames::of));
        settings.diskThrottle().iops().ifPresent(iops -> out.put(ConfigKeys.DISK_IOPS, (long) iops));
        settings.diskThrottle().bytesPerSecond().ifPresent(bytes -> out.put(ConfigKeys.DISK_BPS, bytes));
        out.text(ConfigKeys.PROVISION, settings.provision());
        out.text(ConfigKeys.IMAGE_DIGEST, origin.imageDigest());
        out.text(ConfigKeys.DISTRO, origin.distro());
        out.text(ConfigKeys.DISTRO_VERSION, origin.distroVersion());
        out.text(ConfigKeys.KERNEL, foreign.kernel());
        out.text(ConfigKeys.CMDLINE, foreign.cmdline());
        out.text(ConfigKeys.DISK_PATH, foreign.diskPath());
        out.text(ConfigKeys.SSH_KEY_PATH, foreign.sshKeyPath());
        out.put(ConfigKeys.VM_ID, machine.vmId().value());
        out.time(ConfigKeys.CREATED_AT, Optional.of(machine.createdAt()));
        out.put(ConfigKeys.STATE, status.state().word());
        out.text(ConfigKeys.IP_ADDRESS, status.ipAddress());
        out.time(ConfigKeys.STARTED_AT, status.startedAt());
        out.time(ConfigKeys.PROVISIONED_AT, status.provisionedAt());
        out.text(ConfigKeys.LAST_ERROR, status.lastError());
        out.text(ConfigKeys.LAST_END, status.lastEnd());
        out.put(ConfigKeys.ENV, settings.env());
        out.put(ConfigKeys.LABELS, settings.labels());
        out.put(ConfigKeys.BLOCK_DEVICES, devices(foreign));
        return out.values;
    }

    private static List<Map<String, Object>> devices(UnsupportedKeys foreign) {
        return foreign.blockDevices().stream()
                .map(device -> {
                    Map<String, Object> values = new LinkedHashMap<>();
                    values.put(ConfigKeys.PATH, device.path());
                    values.put(ConfigKeys.READ_ONLY, device.readOnly());
                    return values;
                })
                .toList();
    }

    private void put(String key, Object value) {
        values.put(key, value);
    }

    private void text(String key, Optional<String> value) {
        value.ifPresent(text -> put(key, text));
    }

    private void time(String key, Optional<Instant> value) {
        value.ifPresent(time -> put(key, time.atOffset(ZoneOffset.UTC)));
    }
}
