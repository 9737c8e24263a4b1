package dev.cloche.machine.archive;

import com.github.luben.zstd.ZstdIOException;
import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.base.Printable;
import dev.cloche.image.PullListener;
import dev.cloche.machine.DiskState;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineStatus;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.config.DocumentException;
import dev.cloche.machine.config.MachineDocument;
import dev.cloche.machine.config.StagingDirectory;
import dev.cloche.machine.lifecycle.MachineContext;
import dev.cloche.machine.lifecycle.MachineDisks;
import dev.cloche.machine.lifecycle.MachineImage;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Exports machines to files and imports them. */
final class MachineArchive {
    private final MachineContext context;
    private final MachineDisks disks;

    MachineArchive(MachineContext context, MachineDisks disks) {
        this.context = context;
        this.disks = disks;
    }

    /** Exports a machine that does not run; the caller holds its lock. */
    void export(PersistedMachine machine, Path target) {
        Path directory = Objects.requireNonNullElse(target.toAbsolutePath().getParent(), target);
        if (!Files.isDirectory(directory)) {
            throw new MachineException.Invalid(
                    "There is no directory " + directory + ".", "Make it, or choose another place.");
        }
        Path raw =
                context.store().directory(machine.name()).toAbsolutePath().resolve(".export-" + VmId.random() + ".raw");
        try {
            Optional<Path> script = machine.settings()
                    .provision()
                    .map(name -> context.store().directory(machine.name()).resolve(name))
                    .filter(Files::isRegularFile);
            ArchiveManifest manifest = new ArchiveManifest(
                    ArchiveManifest.VERSION,
                    machine.name().value(),
                    disks.of(machine).sizeMiB(),
                    script.isPresent());
            disks.disks().flatten(disks.directory(machine.name()), raw);
            ArchiveWriter.write(
                    target.toAbsolutePath(),
                    manifest,
                    context.store().text(machine.name()),
                    script.isPresent() ? Files.readAllBytes(script.get()) : new byte[0],
                    raw);
        } catch (FileAlreadyExistsException taken) {
            throw new MachineException.Invalid("There is a file " + target + " already.", "Choose another name.");
        } catch (IOException e) {
            throw new MachineException.Storage(
                    "The machine cannot be written to " + target + ": " + e.getMessage() + ".", e);
        } finally {
            delete(raw);
        }
    }

    /** @throws MachineException.BadArchive if the file is not good; nothing of it is kept then */
    PersistedMachine importFrom(Path archive, Optional<MachineName> wanted, PullListener listener, Deadline deadline) {
        try (StagingDirectory staging = StagingDirectory.create(context.store())) {
            Path raw = staging.directory().resolve("disk.raw");
            ArchiveReader.Content content = read(archive, raw);
            MachineName name =
                    wanted.orElseGet(() -> new MachineName(content.manifest().name()));
            if (Files.exists(context.store().directory(name))) {
                throw new MachineException.NameInUse(name);
            }
            PersistedMachine machine = described(content, name);
            disks.disks()
                    .create(staging.directory().resolve(MachineDisks.DIRECTORY).toAbsolutePath(), raw);
            Files.delete(raw);
            if (content.script().isPresent() && machine.settings().provision().isPresent()) {
                DurableFiles.write(
                        staging.directory()
                                .resolve(machine.settings().provision().get()),
                        content.script().get());
            }
            return context.creating(machine.vmId(), name, () -> {
                var _ = new MachineImage(context, listener).of(machine, deadline);
                context.store().publish(staging, machine);
                context.note(machine, MachineEvent.Kind.IMPORTED, "");
                return machine;
            });
        } catch (IOException e) {
            throw new MachineException.Storage("The machine cannot be made: " + e.getMessage() + ".", e);
        }
    }

    private static ArchiveReader.Content read(Path archive, Path raw) {
        try {
            return ArchiveReader.read(archive, raw);
        } catch (NoSuchFileException missing) {
            throw new MachineException.Invalid("There is no file " + missing.getFile() + ".", "Name an export.");
        } catch (ZstdIOException e) {
            throw new MachineException.BadArchive(
                    "The archive " + archive + " cannot be used: it is damaged, cut short, or not compressed by zstd.",
                    e);
        } catch (IOException e) {
            throw new MachineException.BadArchive(
                    "The archive " + archive + " cannot be used: " + Printable.brief(String.valueOf(e.getMessage()))
                            + ".",
                    e);
        }
    }

    /** Returns what a machine brings along, under another identity: the original may live, here or elsewhere. */
    private PersistedMachine described(ArchiveReader.Content content, MachineName name) {
        PersistedMachine old;
        try {
            old = MachineDocument.parse(
                            content.config(),
                            content.manifest().name(),
                            context.clock().instant())
                    .machine();
        } catch (DocumentException e) {
            throw new MachineException.BadArchive("The archive's configuration cannot be used: " + e.reason() + ".", e);
        }
        int gib = Math.max(1, (content.manifest().diskMiB() + MachineDisks.MIB_PER_GIB - 1) / MachineDisks.MIB_PER_GIB);
        return PersistedMachine.of(name, VmId.random(), context.clock().instant())
                .withOrigin(old.origin())
                .withResources(old.resources().withDiskGb(gib))
                .withSettings(old.settings().withPublish(List.of()))
                .withForeign(old.foreign())
                .withStatus(MachineStatus.NEW
                        .withState(DiskState.STOPPED)
                        .withProvisionedAt(old.status().provisionedAt()));
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException left) {
            System.getLogger(MachineArchive.class.getName())
                    .log(System.Logger.Level.WARNING, "the file " + file + " is left", left);
        }
    }
}
