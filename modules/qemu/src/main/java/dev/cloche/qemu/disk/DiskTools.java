package dev.cloche.qemu.disk;

import dev.cloche.base.Printable;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.VmWaits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The two programs that make disks. {@code mkfs.ext4} writes a blank file system where no guest has been, {@code qemu-img} empty
 * layers, and makes layers larger. Neither reads anything that a guest wrote: a layer's head is QEMU's.
 */
public final class DiskTools {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration COPY_PATIENCE = Duration.ofHours(6);
    private static final int MAX_COMPLAINT = 2048;

    private static final int QCOW2_MAGIC = 0x514649fb;
    private static final int QCOW2_SIZE_END = 32;
    private static final int QCOW2_FEATURES_END = 80;
    /** The incompatible feature of a layer whose data are in another file. */
    private static final long QCOW2_EXTERNAL_DATA = 4;

    private final Path qemu;
    private final Optional<Path> formatter;

    /**
     * @param qemu has {@code qemu-img} beside it
     * @param formatter {@code mkfs.ext4}; empty where there is none, and no disk can be formatted
     */
    public DiskTools(Path qemu, Optional<Path> formatter) {
        this.qemu = qemu;
        this.formatter = formatter;
    }

    /** Fills a file of its full length with an empty file system, which takes no damage from a guest that is killed. */
    public void format(Path file) throws IOException {
        // The file is a hole as yet, so nothing in it has to be overwritten by zeros, neither now nor by the guest.
        run(List.of(
                required(formatter).toString(),
                "-q",
                "-F",
                "-m",
                "0",
                "-e",
                "remount-ro",
                "-E",
                "lazy_journal_init=1,assume_storage_prezeroed=1,nodiscard,root_owner=0:0",
                file.toString()));
    }

    /** Returns this host's program that makes file systems. */
    public static Optional<Path> hostsFormatter() {
        return installed("mkfs.ext4", List.of(Path.of("/usr/sbin"), Path.of("/sbin"), Path.of("/usr/bin")));
    }

    /**
     * Returns the program that makes file systems.
     *
     * @throws VmException.MissingResource if there is none
     */
    public static Path required(Optional<Path> formatter) {
        return formatter.orElseThrow(() -> missing("mkfs.ext4", "e2fsprogs"));
    }

    /** Makes an empty layer over another one in the same directory, which is not opened for it. */
    void layer(Path file, Path below, String format, int mebibytes) throws IOException {
        run(List.of(
                image().toString(),
                "create",
                "-q",
                "-f",
                "qcow2",
                "-u",
                "-b",
                below.getFileName().toString(),
                "-F",
                format,
                file.toString(),
                mebibytes + "M"));
    }

    /** Makes the top larger; a file system in it stays as it is. */
    void growLayer(DiskLayers layers, int mebibytes) throws IOException {
        run(List.of(image().toString(), "resize", "-q", "--image-opts", layers.options(), mebibytes + "M"));
    }

    /** Writes what layers show into a new file with holes. */
    public void flatten(DiskLayers layers, Path raw) throws IOException {
        run(
                List.of(
                        image().toString(),
                        "convert",
                        "-q",
                        "--image-opts",
                        "-O",
                        "raw",
                        layers.options(),
                        raw.toString()),
                COPY_PATIENCE);
    }

    /**
     * Refuses a layer whose head says that its data are in another file, of which it then has the name: no option of QEMU keeps it
     * from opening that. A guest that broke out of QEMU could have written the name of any file of the host there.
     */
    static void requireOwnData(Path file) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(QCOW2_FEATURES_END);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            while (header.hasRemaining() && channel.read(header) >= 0) {}
        }
        if (header.hasRemaining()
                || header.getInt(0) != QCOW2_MAGIC
                || (header.getLong(QCOW2_FEATURES_END - Long.BYTES) & QCOW2_EXTERNAL_DATA) != 0) {
            throw new IOException(file + " is no layer of a disk");
        }
    }

    /** Returns the length of the disk that a layer shows, from its header (docs/interop/qcow2.txt of QEMU). */
    long layerBytes(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer header = ByteBuffer.allocate(QCOW2_SIZE_END);
            while (header.hasRemaining() && channel.read(header) >= 0) {}
            if (header.hasRemaining() || header.getInt(0) != QCOW2_MAGIC) {
                throw new IOException(file + " is no layer of a disk");
            }
            return header.getLong(QCOW2_SIZE_END - Long.BYTES);
        }
    }

    private Path image() {
        return installed("qemu-img", List.of(qemu.resolveSibling(""), Path.of("/usr/bin")))
                .orElseThrow(() -> missing("qemu-img", "qemu-utils"));
    }

    private static Optional<Path> installed(String name, List<Path> directories) {
        return Stream.concat(directories.stream(), Stream.of(Path.of("/usr/local/bin")))
                .map(directory -> directory.resolve(name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static VmException.MissingResource missing(String name, String debianPackage) {
        return new VmException.MissingResource(
                "There is no " + name + ", which a writable disk needs",
                "Install it (Debian: apt-get install " + debianPackage + "), or keep the writable layer in memory.",
                null);
    }

    private static void run(List<String> command) throws IOException {
        run(command, PATIENCE);
    }

    private static void run(List<String> command, Duration patience) throws IOException {
        Process process = new ProcessBuilder(new ArrayList<>(command))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .start();
        try {
            // A complaint is far smaller than the pipe, so the program never waits for us to read it.
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException(command.getFirst() + " does not end");
            }
            if (process.exitValue() != 0) {
                byte[] said = process.getInputStream().readNBytes(MAX_COMPLAINT);
                throw new IOException(command.getFirst() + " failed: "
                        + Printable.lines(new String(said, StandardCharsets.UTF_8).strip()));
            }
        } catch (InterruptedException e) {
            throw VmWaits.interrupted(command.getFirst());
        } finally {
            process.destroyForcibly();
        }
    }
}
