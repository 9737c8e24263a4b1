package dev.cloche.machine.config;

import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.tomlj.Toml;

/**
 * Describes a directory beside those of machines, as far as it matters for whose a VM is: its file may be broken or missing.
 *
 * @param vmId what its file says; empty if that cannot be read
 */
record CandidateDirectory(String name, long inode, Optional<VmId> vmId) {
    /** Returns whether its file names this VM, or would name some VM if it could be read. */
    boolean mayMean(VmId id) {
        return vmId.isEmpty() || vmId.get().equals(id);
    }

    boolean means(VmId id) {
        return vmId.filter(id::equals).isPresent();
    }

    boolean isNamedBy(DirectoryClaim claim) {
        return inode == claim.inode() || name.equals(claim.directory());
    }

    /** Returns all of them, by name. */
    static List<CandidateDirectory> all(MachineDirectories directories) throws IOException {
        List<CandidateDirectory> all = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directories.base())) {
            for (Path entry : entries) {
                if (!String.valueOf(entry.getFileName()).startsWith(".") && Files.isDirectory(entry)) {
                    of(entry).ifPresent(all::add);
                }
            }
        } catch (NoSuchFileException missing) {
            return List.of();
        }
        all.sort(Comparator.comparing(CandidateDirectory::name));
        return all;
    }

    /** Returns the directory; empty if it is gone. */
    private static Optional<CandidateDirectory> of(Path directory) throws IOException {
        try {
            long inode = MachineDirectories.inode(directory);
            return Optional.of(new CandidateDirectory(String.valueOf(directory.getFileName()), inode, vmId(directory)));
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        }
    }

    private static Optional<VmId> vmId(Path directory) {
        try {
            byte[] bytes = MachineDirectories.read(directory.resolve(MachineDirectories.CONFIG))
                    .bytes();
            String text = bytes.length > MachineDocument.MAX_BYTES ? "" : new String(bytes, StandardCharsets.UTF_8);
            return Toml.parse(text).get(List.of(ConfigKeys.VM_ID)) instanceof String id
                    ? Optional.of(new VmId(id))
                    : Optional.empty();
        } catch (IOException | VmException.Invalid unreadable) {
            return Optional.empty();
        }
    }
}
