package dev.cloche.machine.config;

import dev.cloche.base.Printable;
import dev.cloche.machine.BlockDevice;
import dev.cloche.machine.DiskState;
import dev.cloche.machine.ForeignParts;
import dev.cloche.machine.MachineInit;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineOrigin;
import dev.cloche.machine.MachineResources;
import dev.cloche.machine.MachineSettings;
import dev.cloche.machine.MachineStatus;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.RestartPolicy;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A machine out of the values of its file. */
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
        MachineName name = fields.checked(() -> new MachineName(directory), Keys.NAME);
        return new PersistedMachine(
                name,
                vmId(),
                fields.time(Keys.CREATED_AT).orElse(fileTime),
                resources(),
                new MachineOrigin(
                        fields.text(Keys.IMAGE),
                        fields.text(Keys.IMAGE_DIGEST),
                        fields.text(Keys.DISTRO),
                        fields.text(Keys.DISTRO_VERSION)),
                settings(),
                foreign(),
                new MachineStatus(
                        fields.word(Keys.STATE, DiskState::of, DiskState.CREATED),
                        fields.text(Keys.IP_ADDRESS).filter(ip -> !ip.isEmpty()),
                        fields.time(Keys.STARTED_AT),
                        fields.time(Keys.PROVISIONED_AT),
                        fields.text(Keys.LAST_ERROR),
                        fields.text(Keys.LAST_END)));
    }

    private void checkVersion() throws DocumentException {
        int version = fields.integer(Keys.SCHEMA_VERSION, PersistedMachine.SCHEMA_VERSION);
        if (version > PersistedMachine.SCHEMA_VERSION) {
            throw new DocumentException(
                    fields.wrong(Keys.SCHEMA_VERSION, "").line(),
                    "it has schema version " + version + ", and this Cloche knows none above "
                            + PersistedMachine.SCHEMA_VERSION,
                    true);
        }
        if (version < 0) {
            throw fields.wrong(Keys.SCHEMA_VERSION, "is out of range");
        }
    }

    /** A rename that was cut short has moved the directory already, and announced it in the file before. */
    private void checkName(String directory) throws DocumentException {
        String name = fields.requiredText(Keys.NAME);
        boolean renamed = fields.text(Keys.RENAMED_TO).filter(directory::equals).isPresent();
        if (!name.equals(directory) && !renamed) {
            throw fields.wrong(
                    Keys.NAME, "is \"" + Printable.brief(name) + "\", and its directory is called " + directory);
        }
    }

    private VmId vmId() throws DocumentException {
        String id = fields.requiredText(Keys.VM_ID);
        try {
            return new VmId(id);
        } catch (VmException.Invalid e) {
            throw fields.wrong(Keys.VM_ID, "cannot be \"" + Printable.brief(id) + "\"");
        }
    }

    private MachineResources resources() throws DocumentException {
        MachineResources defaults = MachineResources.DEFAULTS;
        int cpus = fields.integer(Keys.CPUS, defaults.cpus());
        int memory = fields.integer(Keys.MEMORY_MB, defaults.memoryMb());
        int disk = fields.integer(Keys.DISK_GB, defaults.diskGb());
        fields.checked(() -> defaults.withCpus(cpus), Keys.CPUS);
        fields.checked(() -> defaults.withMemoryMb(memory), Keys.MEMORY_MB);
        return fields.checked(() -> new MachineResources(cpus, memory, disk), Keys.DISK_GB);
    }

    private MachineSettings settings() throws DocumentException {
        MachineSettings defaults = MachineSettings.DEFAULTS;
        String init = fields.text(Keys.INIT).orElse(defaults.init().value());
        MachineInit who = fields.checked(() -> new MachineInit(init), Keys.INIT);
        Optional<String> provision = fields.text(Keys.PROVISION);
        fields.checked(() -> defaults.withProvision(provision), Keys.PROVISION);
        Map<String, String> env = fields.map(Keys.ENV);
        Map<String, String> labels = fields.map(Keys.LABELS);
        String network = fields.text(Keys.NETWORK).orElse(defaults.network());
        List<String> publish = fields.texts(Keys.PUBLISH);
        boolean autostart = fields.truth(Keys.AUTOSTART, defaults.autostart());
        RestartPolicy restart = fields.word(Keys.RESTART_POLICY, RestartPolicy::of, defaults.restartPolicy());
        return fields.checked(
                () -> new MachineSettings(who, network, publish, env, labels, autostart, restart, provision), Keys.ENV);
    }

    private ForeignParts foreign() throws DocumentException {
        List<BlockDevice> devices = new ArrayList<>();
        for (TomlFields device : fields.tables(Keys.BLOCK_DEVICES)) {
            devices.add(new BlockDevice(device.requiredText(Keys.PATH), device.truth(Keys.READ_ONLY, false)));
        }
        return new ForeignParts(
                fields.text(Keys.KERNEL),
                fields.text(Keys.CMDLINE),
                devices,
                fields.text(Keys.DISK_PATH),
                fields.text(Keys.SSH_KEY_PATH));
    }
}
