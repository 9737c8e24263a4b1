package dev.cloche.pool;

import dev.cloche.base.Deadline;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** A process that keeps a pool and hands its VMs out for ever, writing down what it does, until it is killed. */
final class PoolOwner {
    static final PoolConfig CONFIG = PoolConfigs.from(PoolConfig.DEFAULT)
            .refillInterval(Duration.ofMillis(200))
            .config();
    private final Path books;

    private PoolOwner(Path books) {
        this.books = books;
    }

    /** The arguments: state root, share directory, snapshot, key's name, books. */
    public static void main(String[] arguments) {
        QemuProvider provider =
                new QemuProvider(VmLayout.of(Path.of(arguments[0])), VmResources.find(List.of(Path.of(arguments[1]))));
        SnapshotRef snapshot = provider.snapshot(new SnapshotName(arguments[2])).orElseThrow();
        StackKey key = key(arguments[3], snapshot);
        PoolOwner owner = new PoolOwner(Path.of(arguments[4]));
        WarmPool pool = WarmPool.start(provider, CONFIG);
        pool.register(key, Registration.of(snapshot).withDepth(DepthPolicy.of(2)));
        System.out.println("ready");
        while (true) {
            try (WarmVm warm = pool.acquire(key, owner.handOff(), Deadline.after(Duration.ofMinutes(5)))) {
                owner.write("done " + warm.id());
            }
        }
    }

    static StackKey key(String name, SnapshotRef snapshot) {
        return new StackKey(name, "1", snapshot.cpus(), snapshot.memoryMiB());
    }

    private HandOff handOff() {
        return new HandOff() {
            @Override
            public void chosen(VmId vm) {
                write("chosen " + vm);
            }

            @Override
            public GuestIdentity identity() {
                return GuestIdentity.fresh("owned", Clock.systemUTC());
            }
        };
    }

    private void write(String line) {
        try {
            Files.writeString(books, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
