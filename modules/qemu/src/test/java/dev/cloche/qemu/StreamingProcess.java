package dev.cloche.qemu;

import dev.cloche.base.Deadline;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Output;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/**
 * A process for tests that streams through a {@code cat} in a VM, both directions at once, until it is killed. What it has
 * read is appended to a file and acknowledged then, so the file's size is where the next one goes on.
 */
final class StreamingProcess {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final int CHUNK = 10_007;

    private StreamingProcess() {}

    /** Arguments: state root, shared files, VM, file for the id, file for the output, and the disk if it is to own the VM. */
    public static void main(String[] arguments) throws IOException {
        VmLayout layout = VmLayout.of(Path.of(arguments[0]));
        QemuProvider provider = new QemuProvider(layout, VmResources.find(List.of(Path.of(arguments[1]))));
        VmId vm = new VmId(arguments[2]);
        Path id = Path.of(arguments[3]);
        Path output = Path.of(arguments[4]);
        if (arguments.length > 5) {
            Vm owned = provider.create(
                    VmSpec.of(vm, RootDisk.raw(Path.of(arguments[5]))).withAttached(false));
            owned.start(Deadline.after(LIMIT));
            GuestExecution cat =
                    owned.guest().exec(ExecRequest.of("cat").withStdin().acknowledged(), Deadline.after(LIMIT));
            Files.createFile(output);
            Files.writeString(id, Integer.toString(cat.id()));
            stream(cat, output, Long.MAX_VALUE);
        } else {
            Vm client = provider.connect(vm, Deadline.after(LIMIT));
            stream(resume(client.guest(), id, output), output, Long.MAX_VALUE);
        }
    }

    /** Goes on where the one before was killed. */
    static GuestExecution resume(Guest guest, Path id, Path output) throws IOException {
        AttachPoint read = new AttachPoint(Files.size(output), 0);
        GuestExecution cat = guest.attach(Integer.parseInt(Files.readString(id)), read, Deadline.after(LIMIT));
        // The one before may have died before it could say so, and the guest keeps no more until a reader does.
        cat.acknowledge(Output.STDOUT, read.stdout());
        return cat;
    }

    /** Writes {@link #at} from where the guest goes on up to {@code end}, and appends what comes back. */
    static void stream(GuestExecution cat, Path output, long end) throws IOException {
        Thread writer = Thread.ofPlatform().daemon().start(() -> write(cat, end));
        try (OutputStream file = Files.newOutputStream(output, StandardOpenOption.APPEND)) {
            byte[] chunk = new byte[CHUNK];
            for (int n = cat.stdout().read(chunk); n >= 0; n = cat.stdout().read(chunk)) {
                file.write(chunk, 0, n);
                cat.acknowledge(Output.STDOUT, cat.offset(Output.STDOUT));
            }
        }
        writer.interrupt();
    }

    private static void write(GuestExecution cat, long end) {
        long at = cat.stdinOffset();
        try (OutputStream stdin = cat.stdin()) {
            while (at < end) {
                byte[] chunk = new byte[(int) Math.min(CHUNK, end - at)];
                for (int i = 0; i < chunk.length; i++) {
                    chunk[i] = at(at + i);
                }
                stdin.write(chunk);
                at += chunk.length;
            }
        } catch (IOException | GuestException.ConnectionLost over) {
            // The reading side reports it.
        }
    }

    /** The byte at an offset of the stream: near ones differ, and so do equal places of different blocks. */
    static byte at(long offset) {
        return (byte) ((offset * 0x9E3779B97F4A7C15L) >>> 56);
    }
}
