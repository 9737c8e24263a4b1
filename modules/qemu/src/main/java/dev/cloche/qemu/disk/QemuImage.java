package dev.cloche.qemu.disk;

import dev.cloche.qemu.guard.VmNote;
import dev.cloche.qemu.qmp.QmpCommand;
import dev.cloche.qemu.qmp.QmpConnection;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The disk that a VM boots from, in QEMU's terms, and what has to be done with it while its guest is saved.
 *
 * <p>QEMU saves no guest as long as a VMDK is open, lest two processes write to one; ours is read-only, and a halted guest
 * does not read it. So it lies below a node of its own, which is put on an empty disk of the same size for that time.
 */
public final class QemuImage {
    private static final String ROOT = "root";
    private static final String IMAGE = "image";
    private static final String NOTHING = "nothing";
    private static final int SECTOR = 512;
    private static final Pattern EXTENT = Pattern.compile("(?m)^RW .*\"(.*)\"");

    private final RootDisk disk;

    public QemuImage(RootDisk disk) {
        this.disk = disk;
    }

    /** Returns what QEMU opens for it: the file itself, and of a descriptor all that it strings together. */
    public List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>(List.of(disk.path()));
        if (disk.format() == RootDisk.Format.VMDK) {
            Matcher extents = EXTENT.matcher(new String(Files.readAllBytes(disk.path()), StandardCharsets.UTF_8));
            while (extents.find()) {
                files.add(disk.path().resolveSibling(extents.group(1)).normalize());
            }
        }
        return files;
    }

    /** Returns the arguments that make the node {@code root}. */
    public List<String> arguments() {
        String file = escape(disk.path());
        return switch (disk.format()) {
            case RAW -> List.of("-drive", "if=none,id=" + ROOT + ",file=" + file + ",format=raw,readonly=on");
            case VMDK ->
                List.of(
                        "-blockdev",
                        "driver=vmdk,node-name=" + IMAGE + ",read-only=on,file.driver=file,file.filename=" + file,
                        "-blockdev",
                        "driver=raw,node-name=" + ROOT + ",read-only=on,file=" + IMAGE);
        };
    }

    /** Something that is done while the guest has no image. */
    public interface Saving {
        void run() throws IOException;
    }

    /**
     * Does it while the image of a halted guest is put aside, where that is needed. A note in the VM's directory says so for
     * as long as the image is not back, for a process that would have the guest go on: with an empty disk it must not.
     *
     * @param vm the VM's directory
     */
    public void putAside(QmpConnection qemu, Path vm, Saving saving) throws IOException {
        if (disk.format() == RootDisk.Format.RAW) {
            saving.run();
            return;
        }
        VmNote.IMAGE_ASIDE.leaveOrThrow(vm);
        Aside aside = new Aside(qemu);
        try {
            aside.begin();
            saving.run();
        } catch (Throwable failure) {
            try {
                aside.end();
                VmNote.IMAGE_ASIDE.remove(vm);
            } catch (IOException | VmException notBack) {
                failure.addSuppressed(notBack);
            }
            throw failure;
        }
        aside.end();
        VmNote.IMAGE_ASIDE.remove(vm);
    }

    /** How far the image has been put aside; what QEMU refuses is not done, and after any other failure it takes no command. */
    private final class Aside {
        private final QmpConnection qemu;
        private boolean nothingThere;
        private boolean onNothing;
        private boolean imageGone;

        Aside(QmpConnection qemu) {
            this.qemu = qemu;
        }

        void begin() throws IOException {
            add(qemu, Map.of("driver", "null-co", "node-name", NOTHING, "read-only", true, "size", size()));
            nothingThere = true;
            put(qemu, NOTHING);
            onNothing = true;
            remove(qemu, IMAGE);
            imageGone = true;
        }

        void end() throws IOException {
            if (imageGone) {
                add(qemu, vmdk());
            }
            if (onNothing) {
                put(qemu, IMAGE);
            }
            if (nothingThere) {
                remove(qemu, NOTHING);
            }
        }
    }

    private Map<String, Object> vmdk() {
        Map<String, Object> file =
                Map.of("driver", "file", "filename", disk.path().toString());
        return Map.of("driver", "vmdk", "node-name", IMAGE, "read-only", true, "file", file);
    }

    private static void add(QmpConnection qemu, Map<String, Object> node) throws IOException {
        var _ = qemu.execute(new QmpCommand("blockdev-add", node));
    }

    private static void remove(QmpConnection qemu, String node) throws IOException {
        var _ = qemu.execute(new QmpCommand("blockdev-del", Map.of("node-name", node)));
    }

    private static void put(QmpConnection qemu, String below) throws IOException {
        Map<String, Object> root = Map.of("driver", "raw", "node-name", ROOT, "read-only", true, "file", below);
        var _ = qemu.execute(new QmpCommand("blockdev-reopen", Map.of("options", List.of(root))));
    }

    /** Of all extents, {@code RW SECTORS FLAT …}; the descriptor is this program's own. */
    private long size() throws IOException {
        try (var lines = Files.lines(disk.path(), StandardCharsets.US_ASCII)) {
            return lines.filter(line -> line.startsWith("RW "))
                            .mapToLong(line -> Long.parseLong(line.split(" ", -1)[1]))
                            .sum()
                    * SECTOR;
        } catch (NumberFormatException e) {
            throw new IOException("the descriptor " + disk.path() + " has an extent without a length", e);
        }
    }

    /** A comma ends a value in QEMU's options, unless it is doubled. */
    private static String escape(Path path) {
        return path.toString().replace(",", ",,");
    }
}
