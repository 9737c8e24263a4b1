package dev.cloche.machine.lifecycle;

import dev.cloche.base.DurableFiles;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.PersistedMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/** Holds a provisioning script as a caller gives it. */
final class ProvisionScript {
    /** The name of the one that a machine is made with. */
    static final String FIRST = "provision.sh";

    private static final int MOST_BYTES = 1 << 20;
    private static final int NAME_BYTES = 8;

    private final byte[] bytes;

    private ProvisionScript(byte[] bytes) {
        this.bytes = bytes;
    }

    /** @throws MachineException.Invalid if it is not to be had or too large */
    static ProvisionScript read(Path file) {
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new MachineException.Invalid(
                        "The provisioning script " + file + " is larger than 1 MiB.",
                        "Let a small script fetch what is large.");
            }
            return new ProvisionScript(Files.readAllBytes(file));
        } catch (NoSuchFileException missing) {
            throw new MachineException.Invalid("There is no file " + file + ".", "Give a script of this host.");
        } catch (IOException e) {
            throw new MachineException.Storage("The script " + file + " cannot be read: " + e.getMessage() + ".", e);
        }
    }

    void write(Path directory) throws IOException {
        DurableFiles.write(directory.resolve(FIRST), bytes);
    }

    /**
     * Puts it beside the script that a machine has, under a name of its own: so after a crash at any point, the one of the two
     * that its file names is there and whole.
     *
     * @return the name that its file is to say; empty if it has this script already
     */
    Optional<String> beside(PersistedMachine machine, Path directory) {
        try {
            Optional<String> old = machine.settings().provision();
            if (old.isPresent() && same(directory.resolve(old.get()))) {
                return Optional.empty();
            }
            String name = "provision-" + digest() + ".sh";
            DurableFiles.write(directory.resolve(name), bytes);
            return Optional.of(name);
        } catch (IOException e) {
            throw new MachineException.Storage("The script cannot be kept: " + e.getMessage() + ".", e);
        }
    }

    /** One whose machine has another by now. */
    static void forget(Path directory, String name) {
        try {
            Files.deleteIfExists(directory.resolve(name));
        } catch (IOException left) {
            System.getLogger(ProvisionScript.class.getName())
                    .log(System.Logger.Level.DEBUG, "the script " + name + " is left in " + directory, left);
        }
    }

    private boolean same(Path file) throws IOException {
        return Files.isRegularFile(file)
                && Files.size(file) == bytes.length
                && Arrays.equals(Files.readAllBytes(file), bytes);
    }

    private String digest() {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes), 0, NAME_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
