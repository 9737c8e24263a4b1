package dev.cloche.machine;

import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageStore;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.image.PullListener;
import dev.cloche.machine.config.MachineDirectoryRemoval;
import dev.cloche.machine.config.MachineEventLog;
import dev.cloche.machine.config.MachineStore;
import dev.cloche.machine.lifecycle.MachineContext;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.testing.InMemoryFaults;
import dev.cloche.vm.testing.InMemoryProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The machines of a test, on VMs in memory, and the one that most of them are about. */
abstract class MachinesInMemory {
    static final MachineName WEB = SampleMachines.WEB;

    @TempDir
    Path home;

    final InMemoryFaults faults = new InMemoryFaults();
    InMemoryProvider vms;
    ImageStore images;
    MachineManager machines;
    private Catalog catalog;

    @BeforeEach
    void open() {
        Path bundled = Path.of(System.getProperty("cloche.share", "../../dist/share"), "images/base")
                .toAbsolutePath();
        Assumptions.assumeTrue(Files.isDirectory(bundled), "the image base is not installed: run ./setup first");
        vms = new InMemoryProvider(faults, BootPolicy.DEFAULT);
        catalog = Catalog.open(home, List.of(ImageStore.schema()));
        images = ImageStore.open(
                home.resolve("cache"), catalog, ImageStoreOptions.defaults().withBundled(List.of(bundled)));
        machines = new MachineManager(home.resolve("machines"), images, vms, Clock.systemUTC());
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

    void make(String name) {
        machines.create(NewMachine.of(new MachineName(name), "base"), PullListener.none(), soon());
    }

    MachineStore store() {
        return new MachineStore(home.resolve("machines"));
    }

    MachineContext context() {
        Path base = home.resolve("machines");
        Clock clock = Clock.systemUTC();
        return new MachineContext(store(), new MachineEventLog(base, clock), images, vms, clock);
    }

    RunningMachine start() {
        return machines.start(WEB, Duration.ZERO, PullListener.none(), soon());
    }

    /** What is recorded of it, as a reader of its file finds it. */
    MachineStatus status() {
        return machines.get(WEB).machine().status();
    }

    MachineState state() {
        return machines.get(WEB).state();
    }

    VmInfo vm() {
        return vms.list().getFirst();
    }

    /** Copies the directory of a machine as a person does it, who also gives the file the name of the copy. */
    void copyByHand(String from, String to) throws IOException {
        Path source = directory(from);
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.toList()) {
                Files.copy(file, directory(to).resolve(source.relativize(file).toString()));
            }
        }
        nameByHand(from, to);
    }

    /** Moves the directory of a machine as a person does it. */
    void moveByHand(String from, String to) throws IOException {
        Files.move(directory(from), directory(to));
        nameByHand(from, to);
    }

    private void nameByHand(String from, String to) throws IOException {
        Path config = directory(to).resolve("config.toml");
        String text = Files.readString(config);
        Files.writeString(config, text.replace("name = \"" + from + "\"", "name = \"" + to + "\""));
    }

    void deleteByHand(String name) throws IOException {
        MachineDirectoryRemoval.delete(directory(name));
    }

    Path directory(String name) {
        return store().directories().base().resolve(name);
    }

    /** The ids of the machines that hold an image. */
    List<String> pins() {
        return images.holders("machine").stream().map(ImageHolder::id).toList();
    }

    static Deadline soon() {
        return Deadline.after(Duration.ofMinutes(5));
    }
}
