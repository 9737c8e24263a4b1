package dev.cloche.machine.config;

import dev.cloche.machine.ForeignParts;
import dev.cloche.machine.MachineOrigin;
import dev.cloche.machine.MachineSettings;
import dev.cloche.machine.MachineStatus;
import dev.cloche.machine.PersistedMachine;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The values of a machine's file, in the order in which a new one has them. */
final class MachineValues {
    private final Map<String, Object> values = new LinkedHashMap<>();

    private MachineValues() {}

    /** Strings, longs, booleans, dates, lists and maps of strings, and lists of maps; what is absent has no key. */
    static Map<String, Object> of(PersistedMachine machine) {
        MachineValues out = new MachineValues();
        MachineOrigin origin = machine.origin();
        MachineSettings settings = machine.settings();
        ForeignParts foreign = machine.foreign();
        MachineStatus status = machine.status();
        out.put(Keys.NAME, machine.name().value());
        out.text(Keys.IMAGE, origin.image());
        out.put(Keys.CPUS, (long) machine.resources().cpus());
        out.put(Keys.MEMORY_MB, (long) machine.resources().memoryMb());
        out.put(Keys.DISK_GB, (long) machine.resources().diskGb());
        out.put(Keys.INIT, settings.init().value());
        out.put(Keys.NETWORK, settings.network());
        out.put(Keys.PUBLISH, settings.publish());
        out.put(Keys.AUTOSTART, settings.autostart());
        out.put(Keys.RESTART_POLICY, settings.restartPolicy().word());
        out.text(Keys.PROVISION, settings.provision());
        out.text(Keys.IMAGE_DIGEST, origin.imageDigest());
        out.text(Keys.DISTRO, origin.distro());
        out.text(Keys.DISTRO_VERSION, origin.distroVersion());
        out.text(Keys.KERNEL, foreign.kernel());
        out.text(Keys.CMDLINE, foreign.cmdline());
        out.text(Keys.DISK_PATH, foreign.diskPath());
        out.text(Keys.SSH_KEY_PATH, foreign.sshKeyPath());
        out.put(Keys.VM_ID, machine.vmId().value());
        out.time(Keys.CREATED_AT, Optional.of(machine.createdAt()));
        out.put(Keys.STATE, status.state().word());
        out.text(Keys.IP_ADDRESS, status.ipAddress());
        out.time(Keys.STARTED_AT, status.startedAt());
        out.time(Keys.PROVISIONED_AT, status.provisionedAt());
        out.text(Keys.LAST_ERROR, status.lastError());
        out.text(Keys.LAST_END, status.lastEnd());
        out.put(Keys.ENV, settings.env());
        out.put(Keys.LABELS, settings.labels());
        out.put(Keys.BLOCK_DEVICES, devices(foreign));
        return out.values;
    }

    private static List<Map<String, Object>> devices(ForeignParts foreign) {
        return foreign.blockDevices().stream()
                .map(device -> {
                    Map<String, Object> values = new LinkedHashMap<>();
                    values.put(Keys.PATH, device.path());
                    values.put(Keys.READ_ONLY, device.readOnly());
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
