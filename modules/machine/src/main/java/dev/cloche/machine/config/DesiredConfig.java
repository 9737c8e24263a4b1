package dev.cloche.machine.config;

import dev.cloche.base.EnumNames;
import dev.cloche.base.Printable;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineInit;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineResources;
import dev.cloche.machine.MachineRestartPolicy;
import dev.cloche.machine.MachineSettings;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.Network;
import dev.cloche.vm.WritableLayer;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.tomlj.Toml;
import org.tomlj.TomlParseResult;

/**
 * Says what {@code cloche machine apply} is given: the keys of config.toml that are a person's to choose. What a file does
 * not say stays as it is, or has its default in a new machine.
 *
 * @param provision script on this host, found from the directory of the file
 */
public record DesiredConfig(
        MachineName name, Optional<String> image, UnaryOperator<PersistedMachine> change, Optional<Path> provision) {
    private static final Set<String> KNOWN = Set.of(
            ConfigKeys.NAME,
            ConfigKeys.IMAGE,
            ConfigKeys.CPUS,
            ConfigKeys.MEMORY_MB,
            ConfigKeys.DISK_GB,
            ConfigKeys.INIT,
            ConfigKeys.NETWORK,
            ConfigKeys.PUBLISH,
            ConfigKeys.ENV,
            ConfigKeys.LABELS,
            ConfigKeys.AUTOSTART,
            ConfigKeys.RESTART_POLICY,
            ConfigKeys.ISOLATION,
            ConfigKeys.DISK_IOPS,
            ConfigKeys.DISK_BPS,
            ConfigKeys.PROVISION);

    /**
     * Reads what a file wants of a machine.
     *
     * @throws MachineException.Invalid if the file cannot be read or says what it must not
     */
    public static DesiredConfig read(Path file) {
        try {
            if (Files.size(file) > MachineDocument.MAX_BYTES) {
                throw new DocumentException(OptionalInt.empty(), "it is too long", false);
            }
            TomlParseResult toml = Toml.parse(Files.readString(file, StandardCharsets.UTF_8));
            if (toml.hasErrors()) {
                var first = toml.errors().getFirst();
                throw new DocumentException(
                        OptionalInt.of(first.position().line()), String.valueOf(first.getMessage()), false);
            }
            TomlFields fields = new TomlFields(toml);
            for (String key : toml.keySet()) {
                if (!KNOWN.contains(key)) {
                    throw fields.wrong(key, "is not a key of a file to apply");
                }
            }
            return read(file, fields);
        } catch (NoSuchFileException missing) {
            throw new MachineException.Invalid("There is no file " + file + ".", "Name a TOML file.");
        } catch (CharacterCodingException e) {
            throw new MachineException.Invalid("The file " + file + " is no UTF-8.", "Name a TOML file.");
        } catch (IOException e) {
            throw new MachineException.Invalid(
                    "The file " + file + " cannot be read: " + e.getMessage() + ".", "Name a TOML file.");
        } catch (DocumentException e) {
            String line = e.line().isPresent() ? ":" + e.line().getAsInt() : "";
            throw new MachineException.Invalid(
                    "The file " + file + line + " cannot be used: " + Printable.brief(e.reason()) + ".", "Mend it.");
        }
    }

    private static DesiredConfig read(Path file, TomlFields fields) throws DocumentException {
        String word = fields.requiredText(ConfigKeys.NAME);
        MachineName name = fields.checked(() -> new MachineName(word), ConfigKeys.NAME);
        List<UnaryOperator<MachineResources>> resources = resources(fields);
        List<UnaryOperator<MachineSettings>> settings = settings(fields);
        // Looked at once, so that what cannot be is refused with its line.
        fields.checked(
                () -> applied(resources, MachineResources.DEFAULTS),
                ConfigKeys.CPUS,
                ConfigKeys.MEMORY_MB,
                ConfigKeys.DISK_GB);
        fields.checked(() -> applied(settings, MachineSettings.DEFAULTS), ConfigKeys.ENV);
        Optional<Path> provision = fields.text(ConfigKeys.PROVISION)
                .map(script -> file.toAbsolutePath().resolveSibling(script));
        return new DesiredConfig(
                name,
                fields.text(ConfigKeys.IMAGE),
                machine -> machine.withResources(applied(resources, machine.resources()))
                        .withSettings(applied(settings, machine.settings())),
                provision);
    }

    private static List<UnaryOperator<MachineResources>> resources(TomlFields fields) throws DocumentException {
        List<UnaryOperator<MachineResources>> changes = new ArrayList<>();
        if (fields.has(ConfigKeys.CPUS)) {
            int cpus = fields.integer(ConfigKeys.CPUS, 0);
            changes.add(now -> now.withCpus(cpus));
        }
        if (fields.has(ConfigKeys.MEMORY_MB)) {
            int memory = fields.integer(ConfigKeys.MEMORY_MB, 0);
            changes.add(now -> now.withMemoryMb(memory));
        }
        if (fields.has(ConfigKeys.DISK_GB)) {
            int disk = fields.integer(ConfigKeys.DISK_GB, 0);
            changes.add(now -> now.withDiskGb(disk));
        }
        return changes;
    }

    private static List<UnaryOperator<MachineSettings>> settings(TomlFields fields) throws DocumentException {
        List<UnaryOperator<MachineSettings>> changes = new ArrayList<>();
        if (fields.has(ConfigKeys.INIT)) {
            String init = fields.requiredText(ConfigKeys.INIT);
            MachineInit parsed = fields.checked(() -> new MachineInit(init), ConfigKeys.INIT);
            changes.add(now -> now.withInit(parsed));
        }
        if (fields.has(ConfigKeys.NETWORK)) {
            Network network =
                    fields.word(ConfigKeys.NETWORK, word -> EnumNames.find(Network.class, word), Network.NONE);
            changes.add(now -> now.withNetwork(network));
        }
        if (fields.has(ConfigKeys.PUBLISH)) {
            List<String> publish = fields.texts(ConfigKeys.PUBLISH);
            changes.add(now -> now.withPublish(publish));
        }
        if (fields.has(ConfigKeys.ENV)) {
            var env = fields.map(ConfigKeys.ENV);
            changes.add(now -> now.withEnv(env));
        }
        if (fields.has(ConfigKeys.LABELS)) {
            var labels = fields.map(ConfigKeys.LABELS);
            changes.add(now -> now.withLabels(labels));
        }
        if (fields.has(ConfigKeys.AUTOSTART)) {
            boolean autostart = fields.truth(ConfigKeys.AUTOSTART, false);
            changes.add(now -> now.withAutostart(autostart));
        }
        if (fields.has(ConfigKeys.RESTART_POLICY)) {
            MachineRestartPolicy policy =
                    fields.word(ConfigKeys.RESTART_POLICY, MachineRestartPolicy::of, MachineRestartPolicy.NO);
            changes.add(now -> now.withRestartPolicy(policy));
        }
        if (fields.has(ConfigKeys.ISOLATION)) {
            Isolation least =
                    fields.word(ConfigKeys.ISOLATION, word -> EnumNames.find(Isolation.class, word), Isolation.AUTO);
            changes.add(now -> now.withIsolation(least));
        }
        WritableLayer.Throttle given = fields.throttle(WritableLayer.Throttle.none());
        boolean iops = fields.has(ConfigKeys.DISK_IOPS);
        boolean bytes = fields.has(ConfigKeys.DISK_BPS);
        changes.add(now -> now.withDiskThrottle(new WritableLayer.Throttle(
                iops ? given.iops() : now.diskThrottle().iops(),
                bytes ? given.bytesPerSecond() : now.diskThrottle().bytesPerSecond())));
        return changes;
    }

    private static <T> T applied(List<UnaryOperator<T>> changes, T value) {
        T changed = value;
        for (UnaryOperator<T> change : changes) {
            changed = change.apply(changed);
        }
        return changed;
    }
}
