package dev.cloche.machine.config;

import dev.cloche.base.EnumNames;
import dev.cloche.base.Printable;
import dev.cloche.machine.BlockDevice;
import dev.cloche.machine.DiskState;
import dev.cloche.machine.MachineInit;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineOrigin;
import dev.cloche.machine.MachineResources;
import dev.cloche.machine.MachineRestartPolicy;
import dev.cloche.machine.MachineSettings;
import dev.cloche.machine.MachineStatus;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.UnsupportedKeys;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.Network;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.WritableLayer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads a machine out of the values of its file. */
final class MachineReader {
    private final TomlFields fields;

    MachineReader(TomlFields fields) {
        this.fields = fields;
    }

    /**
     * @param directory the name of the file's directory, which the file must have too
     * @param fileTime when the machine was made, if the file does not say
     */
    PersistedMachine read(String directory, Instant fileTime) throws DocumentException {
        checkVersion();
        checkName(directory);
        MachineName name = fields.checked(() -> new MachineName(directory), ConfigKeys.NAME);
        return new PersistedMachine(
                name,
                vmId(),
                fields.time(ConfigKeys.CREATED_AT).orElse(fileTime),
                resources(),
                new MachineOrigin(
                        fields.text(ConfigKeys.IMAGE),
                        fields.text(ConfigKeys.IMAGE_DIGEST),
                        fields.text(ConfigKeys.DISTRO),
                        fields.text(ConfigKeys.DISTRO_VERSION)),
                settings(),
                foreign(),
                new MachineStatus(
                        fields.word(ConfigKeys.STATE, DiskState::of, DiskState.CREATED),
                        fields.text(ConfigKeys.IP_ADDRESS).filter(ip -> !ip.isEmpty()),
                        fields.time(ConfigKeys.STARTED_AT),
                        fields.time(ConfigKeys.PROVISIONED_AT),
                        fields.text(ConfigKeys.LAST_ERROR),
                        fields.text(ConfigKeys.LAST_END)));
    }

    private void checkVersion() throws DocumentException {
        int version = fields.integer(ConfigKeys.SCHEMA_VERSION, PersistedMachine.SCHEMA_VERSION);
        if (version > PersistedMachine.SCHEMA_VERSION) {
            throw new DocumentException(
                    fields.wrong(ConfigKeys.SCHEMA_VERSION, "").line(),
                    "it has schema version " + version + ", and this Cloche knows none above "
                            + PersistedMachine.SCHEMA_VERSION,
                    true);
        }
        if (version < 0) {
            throw fields.wrong(ConfigKeys.SCHEMA_VERSION, "is out of range");
        }
    }

    /** A rename that was cut short has moved the directory already, and announced it in the file before. */
    private void checkName(String directory) throws DocumentException {
        String name = fields.requiredText(ConfigKeys.NAME);
        boolean renamed =
                fields.text(ConfigKeys.RENAMED_TO).filter(directory::equals).isPresent();
        if (!name.equals(directory) && !renamed) {
            throw fields.wrong(
                    ConfigKeys.NAME, "is \"" + Printable.brief(name) + "\", and its directory is called " + directory);
        }
    }

    private VmId vmId() throws DocumentException {
        String id = fields.requiredText(ConfigKeys.VM_ID);
        try {
            return new VmId(id);
        } catch (VmException.Invalid e) {
            throw fields.wrong(ConfigKeys.VM_ID, "cannot be \"" + Printable.brief(id) + "\"");
        }
    }

    private MachineResources resources() throws DocumentException {
        MachineResources defaults = MachineResources.DEFAULTS;
        int cpus = fields.integer(ConfigKeys.CPUS, defaults.cpus());
        int memory = fields.integer(ConfigKeys.MEMORY_MB, defaults.memoryMb());
        int disk = fields.integer(ConfigKeys.DISK_GB, defaults.diskGb());
        fields.checked(() -> defaults.withCpus(cpus), ConfigKeys.CPUS);
        fields.checked(() -> defaults.withMemoryMb(memory), ConfigKeys.MEMORY_MB);
        return fields.checked(() -> new MachineResources(cpus, memory, disk), ConfigKeys.DISK_GB);
    }

    private MachineSettings settings() throws DocumentException {
        MachineSettings defaults = MachineSettings.DEFAULTS;
        String init = fields.text(ConfigKeys.INIT).orElse(defaults.init().value());
        MachineInit who = fields.checked(() -> new MachineInit(init), ConfigKeys.INIT);
        Optional<String> provision = fields.text(ConfigKeys.PROVISION);
        fields.checked(() -> defaults.withProvision(provision), ConfigKeys.PROVISION);
        Map<String, String> env = fields.map(ConfigKeys.ENV);
        Map<String, String> labels = fields.map(ConfigKeys.LABELS);
        Network network =
                fields.word(ConfigKeys.NETWORK, word -> EnumNames.find(Network.class, word), defaults.network());
        List<String> publish = fields.texts(ConfigKeys.PUBLISH);
        boolean autostart = fields.truth(ConfigKeys.AUTOSTART, defaults.autostart());
        MachineRestartPolicy restart =
                fields.word(ConfigKeys.RESTART_POLICY, MachineRestartPolicy::of, defaults.restartPolicy());
        Optional<Isolation> isolation = fields.has(ConfigKeys.ISOLATION)
                ? Optional.of(fields.word(
                        ConfigKeys.ISOLATION, word -> EnumNames.find(Isolation.class, word), Isolation.AUTO))
                : Optional.empty();
        WritableLayer.Throttle throttle = fields.throttle(defaults.diskThrottle());
        return fields.checked(
                () -> new MachineSettings(
                        who, network, publish, env, labels, autostart, restart, isolation, throttle, provision),
                ConfigKeys.ENV);
    }

    private UnsupportedKeys foreign() throws DocumentException {
        List<BlockDevice> devices = new ArrayList<>();
        for (TomlFields device : fields.tables(ConfigKeys.BLOCK_DEVICES)) {
            devices.add(
                    new BlockDevice(device.requiredText(ConfigKeys.PATH), device.truth(ConfigKeys.READ_ONLY, false)));
        }
        return new UnsupportedKeys(
                fields.text(ConfigKeys.KERNEL),
                fields.text(ConfigKeys.CMDLINE),
                devices,
                fields.text(ConfigKeys.DISK_PATH),
                fields.text(ConfigKeys.SSH_KEY_PATH));
    }
}
