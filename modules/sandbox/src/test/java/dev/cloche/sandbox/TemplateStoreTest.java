package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.linux.LockFile;
import dev.cloche.sandbox.warm.TemplateMaker;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Templates, and the starts that use them, on VMs in memory. */
class TemplateStoreTest extends OnTestHost {
    private TemplateStore templates() {
        return sandboxes.templates();
    }

    private Template make(String image) {
        return sandboxes
                .makeTemplate(TestHost.spec(Optional.empty(), image), PullListener.none(), TestHost.soon())
                .orElseThrow();
    }

    private StartTimings start(String image) {
        try (RunningSandbox sandbox =
                sandboxes.start(TestHost.spec(Optional.empty(), image), PullListener.none(), TestHost.soon())) {
            return sandbox.timings().orElseThrow();
        }
    }

    private VmSpec shape() throws Exception {
        return VmSpec.of(VmId.random(), RootDisk.raw(Files.createFile(root.resolve("disk" + VmId.random()))));
    }

    @Test
    void aStartIsRestoredFromTheTemplateOfItsImageAndSize() {
        assertThat(start("bare").kind()).isEqualTo(StartKind.COLD);
        Template made = make("bare");
        assertThat(made.usable()).isTrue();
        assertThat(made.image()).isPresent();
        assertThat(start("bare").kind()).isEqualTo(StartKind.RESTORED);
        assertThat(start("tool").kind()).isEqualTo(StartKind.COLD);
        assertThat(templates().list()).extracting(Template::name).containsExactly(made.name());
        assertThat(templates().get(made.name()).lastUsedAt()).isAfterOrEqualTo(made.createdAt());
    }

    @Test
    void aSandboxWithADiskOfItsOwnIsRestoredFromTheTemplateOfThatSize() {
        SandboxSpec spec = TestHost.spec(Optional.empty(), "bare").withDiskMib(64);
        assertThat(sandboxes.makeTemplate(spec, PullListener.none(), TestHost.soon()))
                .isPresent();
        try (RunningSandbox same = host.start(spec);
                RunningSandbox larger = host.start(spec.withDiskMib(128));
                RunningSandbox without = host.start(TestHost.spec(Optional.empty(), "bare"))) {
            assertThat(same.timings().orElseThrow().kind()).isEqualTo(StartKind.RESTORED);
            assertThat(larger.timings().orElseThrow().kind()).isEqualTo(StartKind.COLD);
            assertThat(without.timings().orElseThrow().kind()).isEqualTo(StartKind.COLD);
        }
    }

    /** Fingerprints of VMs with QEMU are of a disk, not of its size. */
    @Test
    void templatesOfTwoSizesOfDisksHaveTwoNames() throws Exception {
        VmSpec small = shape().withWritable(new WritableLayer.Disk(64));
        TemplateStore store = templates();
        assertThat(store.name(small).value()).endsWith("-64");
        assertThat(store.name(small.withWritable(new WritableLayer.Disk(128))).value())
                .endsWith("-128");
        assertThat(store.name(small.withWritable(WritableLayer.inMemory())).value())
                .doesNotEndWith("-64");
    }

    @Test
    void aTemplateThatIsNotUsableGoesAndTheSandboxBoots() {
        Template made = make("bare");
        host.vms.faults.failRestores(1);
        assertThat(start("bare").kind()).isEqualTo(StartKind.COLD);
        assertThatThrownBy(() -> templates().get(made.name())).isInstanceOf(SandboxException.NoTemplate.class);
        assertThat(host.vms.memory.list()).isEmpty();
    }

    @Test
    void theSecondMakerFindsTheTemplateOfTheFirst() {
        Template first = make("bare");
        int made = host.vms.created.size();
        assertThat(make("bare").name()).isEqualTo(first.name());
        assertThat(host.vms.created).hasSize(made);
    }

    @Test
    void aProcessDoesNotMakeWhatAnotherProcessMakes() throws Exception {
        VmSpec shape = shape();
        Path directory = Files.createDirectories(root.resolve("own"));
        TemplateStore own = new TemplateStore(directory, host.vms, Clock.systemUTC());
        try (LockFile _ =
                LockFile.tryLock(directory.resolve(own.name(shape) + ".lock")).orElseThrow()) {
            assertThat(own.wanted(shape)).isFalse();
            assertThat(own.make(shape, TestHost.soon())).isEmpty();
        }
        assertThat(own.wanted(shape)).isTrue();
        assertThat(own.make(shape, TestHost.soon())).isPresent();
        assertThat(own.wanted(shape)).isFalse();
    }

    @Test
    void aMakingThatFailsLeavesNothingAndIsNotTriedAgainSoon() throws Exception {
        VmSpec shape = shape();
        TemplateStore own = new TemplateStore(root.resolve("own"), host.vms, Clock.systemUTC());
        host.vms.faults.failSnapshots(1);
        assertThatThrownBy(() -> own.make(shape, TestHost.soon())).isInstanceOf(VmException.class);
        assertThat(host.vms.memory.list()).isEmpty();
        assertThat(own.list()).isEmpty();
        assertThat(own.wanted(shape)).isFalse();
        TemplateStore later =
                new TemplateStore(root.resolve("own"), host.vms, Clock.offset(Clock.systemUTC(), Duration.ofHours(2)));
        assertThat(later.wanted(shape)).isTrue();
    }

    /** As the end of a handle does it. What waits for the end of a VM throws at once in an interrupted thread. */
    @Test
    void aMakingThatIsInterruptedLeavesNothing() throws Exception {
        VmProvider interrupting = (VmProvider) Proxy.newProxyInstance(
                VmProvider.class.getClassLoader(), new Class<?>[] {VmProvider.class}, (_, method, arguments) -> {
                    Object result = method.invoke(host.vms, arguments);
                    return result instanceof Vm vm ? interruptedAtItsSnapshot(vm) : result;
                });
        TemplateStore own = new TemplateStore(root.resolve("own"), interrupting, Clock.systemUTC());
        VmSpec shape = shape();
        assertThatThrownBy(() -> own.make(shape, TestHost.soon())).isInstanceOf(VmException.Interrupted.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(host.vms.memory.list()).isEmpty();
    }

    private static Vm interruptedAtItsSnapshot(Vm vm) {
        return new ForwardingVm(vm) {
            @Override
            public SnapshotRef snapshot(SnapshotName name, Deadline deadline) {
                Thread.currentThread().interrupt();
                throw new VmException.Interrupted("a snapshot");
            }

            @Override
            public void close() {
                if (Thread.currentThread().isInterrupted()) {
                    throw new VmException.Interrupted("the end of a VM");
                }
                super.close();
            }
        };
    }

    @Test
    void aFirstStartHasItsTemplateMadeInTheBackground() throws Exception {
        TemplateStore own = new TemplateStore(root.resolve("own"), host.vms, Clock.systemUTC());
        VmSpec shape = shape();
        try (TemplateMaker maker = new TemplateMaker(own, new TemplateMaking.InBackground())) {
            maker.missed(shape, "bare");
            Awaitility.await().until(() -> own.list().size() == 1);
        }
        assertThat(own.find(shape)).isPresent();
    }

    @Test
    void aShortProcessLeavesTheMakingToAnother() throws Exception {
        TemplateStore own = new TemplateStore(root.resolve("own"), host.vms, Clock.systemUTC());
        Path told = root.resolve("told");
        List<String> command =
                List.of("sh", "-c", "echo \"$@\" > " + told + ".new && mv " + told + ".new " + told, "sh");
        try (TemplateMaker maker = new TemplateMaker(own, new TemplateMaking.ByProcess(command, List.of()))) {
            maker.missed(shape().withMemoryMiB(512), "-strange:image");
            assertThat(told).doesNotExist();
        }
        Awaitility.await().until(() -> Files.exists(told));
        assertThat(told).hasContent("--memory 512m --cpus 1 -- -strange:image");
        assertThat(own.list()).isEmpty();
    }

    @Test
    void whatIsUnusedOrOfNoUseIsPruned() throws Exception {
        VmSpec gone = shape();
        TemplateStore own = new TemplateStore(root.resolve("own"), host.vms, Clock.systemUTC());
        String unusable = own.make(gone, TestHost.soon()).orElseThrow().name().value();
        Files.delete(gone.rootDisk().path());
        String used = own.make(shape(), TestHost.soon()).orElseThrow().name().value();
        assertThat(own.prunePlan(Duration.ofDays(1))).containsExactly(unusable);
        assertThat(own.prunePlan(Duration.ZERO)).containsExactlyInAnyOrder(unusable, used);
        assertThat(own.prune(Duration.ofDays(1))).containsExactly(unusable);
        assertThat(own.list()).extracting(Template::name).containsExactly(used);
        assertThat(own.prune(Duration.ZERO)).containsExactly(used);
        assertThat(own.list()).isEmpty();
    }

    @Test
    void aTemplateInUseStays() {
        Template made = make("bare");
        try (RunningSandbox sandbox =
                sandboxes.start(TestHost.spec(Optional.empty(), "bare"), PullListener.none(), TestHost.soon())) {
            assertThat(sandbox.timings().orElseThrow().kind()).isEqualTo(StartKind.RESTORED);
            assertThat(templates().prunePlan(Duration.ZERO)).isEmpty();
            assertThat(templates().prune(Duration.ZERO)).isEmpty();
            assertThatThrownBy(() -> templates().remove(made.name())).isInstanceOf(VmException.Busy.class);
        }
        templates().remove(made.name());
        assertThat(templates().list()).isEmpty();
    }
}
