package dev.cloche.machine;

import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import dev.cloche.image.ImageStore;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.image.PullListener;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.InMemoryFaults;
import dev.cloche.vm.InMemoryProvider;
import dev.cloche.vm.VmInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The machines of a test, on VMs in memory, and the one that most of them are about. */
abstract class MachinesInMemory {
    static final MachineName WEB = Samples.WEB;

    @TempDir
    Path home;

    final InMemoryFaults faults = new InMemoryFaults();
    InMemoryProvider vms;
    Machines machines;
    private Catalog catalog;

    @BeforeEach
    void open() {
        Path bundled = Path.of(System.getProperty("cloche.share", "../../dist/share"), "images/base")
                .toAbsolutePath();
        Assumptions.assumeTrue(Files.isDirectory(bundled), "the image base is not installed: run ./setup first");
        vms = new InMemoryProvider(faults, BootPolicy.DEFAULT);
        catalog = Catalog.open(home, List.of(ImageStore.schema()));
        ImageStore images = ImageStore.open(
                home.resolve("cache"), catalog, ImageStoreOptions.defaults().withBundled(List.of(bundled)));
        machines = new Machines(home.resolve("machines"), images, vms, Clock.systemUTC());
    }

    @AfterEach
    void close() {
        if (vms != null) {
            machines.close();
            vms.close();
            catalog.close();
        }
    }

    void make(MachineSettings settings) {
        machines.create(NewMachine.of(WEB, "base").withSettings(settings), PullListener.none(), soon());
    }

    RunningMachine start() {
        return machines.start(WEB, PullListener.none(), soon());
    }

    /** What is recorded of it, as somebody finds it who looks. */
    MachineStatus status() {
        return machines.get(WEB).machine().status();
    }

    MachineState state() {
        return machines.get(WEB).state();
    }

    VmInfo vm() {
        return vms.list().getFirst();
    }

    static Deadline soon() {
        return Deadline.after(Duration.ofSeconds(60));
    }
}
