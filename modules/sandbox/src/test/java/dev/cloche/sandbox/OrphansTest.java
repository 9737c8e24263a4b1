package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.image.ImageHolder;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OrphansTest extends OnTestHost {
    private final Set<VmId> machines = new HashSet<>();

    private Orphans orphans() {
        return sandboxes.orphans(() -> machines);
    }

    private List<String> names(Orphan.Kind kind) {
        return orphans().find().stream()
                .filter(orphan -> orphan.kind() == kind)
                .map(Orphan::name)
                .toList();
    }

    private VmSpec spec() {
        return VmSpec.of(VmId.random(), RootDisk.raw(Path.of("/none")));
    }

    /** Starts one that no process owns. */
    private VmId detached() {
        VmSpec spec = spec();
        try (Vm vm = host.vms.memory.create(spec)) {
            vm.start(TestHost.soon());
            vm.detach();
        }
        return spec.id();
    }

    private boolean lives(VmId vm) {
        return host.vms.memory.get(vm).filter(info -> info.state().live()).isPresent();
    }

    /** Old enough for a sweep. */
    private Path directory(String kind, String name) throws IOException {
        Path directory =
                Files.createDirectories(root.resolve("state").resolve(kind).resolve(name));
        Files.setLastModifiedTime(directory, FileTime.from(Instant.now().minus(Duration.ofDays(1))));
        return directory;
    }

    @Test
    void onAnOrdinaryHostThereAreNone() {
        host.startDetached(TestHost.named("runs", "sleep", "1000"));
        host.create(TestHost.named("made"));
        try (RunningSandbox _ = host.start(TestHost.named("mine"))) {
            assertThat(orphans().find()).isEmpty();
            assertThat(orphans().remove()).isEmpty();
        }
        assertThat(sandboxes.get("runs").status()).isEqualTo(SandboxStatus.RUNNING);
        sandboxes.remove("runs", true, TestHost.soon());
    }

    @Test
    void aVmWithoutARecordIsFoundAndEnded() {
        VmId vm = detached();
        assertThat(orphans().vms()).containsExactly(new Orphan(Orphan.Kind.VM, vm.value(), true, false));
        sweepOnce();
        assertThat(lives(vm)).as("a sweep ends none").isTrue();
        assertThat(orphans().remove()).isEmpty();
        assertThat(host.vms.memory.get(vm)).isEmpty();
        assertThat(orphans().find()).isEmpty();
    }

    @Test
    void theVmOfAMachineIsNone() {
        VmId vm = detached();
        machines.add(vm);
        assertThat(orphans().find()).isEmpty();
        assertThat(orphans().remove()).isEmpty();
        assertThat(lives(vm)).isTrue();
    }

    @Test
    void aVmThatALivingProcessOwnsIsShownAndLeftAlone() {
        VmSpec spec = spec();
        try (Vm vm = host.vms.memory.create(spec)) {
            vm.start(TestHost.soon());
            Orphan owned = new Orphan(Orphan.Kind.VM, spec.id().value(), true, true);
            assertThat(orphans().vms()).containsExactly(owned);
            assertThat(orphans().remove()).containsExactly(owned);
            assertThat(lives(spec.id())).isTrue();
        }
        assertThat(orphans().remove()).isEmpty();
    }

    @Test
    void theMakerOfATemplateIsNone() {
        try (Vm _ = host.vms.memory.create(spec().asTemplateMaker())) {
            assertThat(orphans().vms()).isEmpty();
        }
    }

    @Test
    void aDiskOfALostCatalogOutlivesSweepsAndGoesWhenThatIsAskedFor() throws IOException {
        Path lost = directory("sandboxes", "lost-7");
        Files.createDirectory(lost.resolve("disk"));
        Path snapshot = directory("sandbox-snapshots", "lost-3");
        Files.createDirectory(snapshot.resolve("disk"));
        directory("sandboxes", "lost-7");
        directory("sandbox-snapshots", "lost-3");
        Path empty = directory("sandboxes", "begun-8");

        sweepOnce();
        assertThat(empty).doesNotExist();
        assertThat(names(Orphan.Kind.SANDBOX_DIRECTORY)).containsExactly(lost.toString());
        assertThat(names(Orphan.Kind.SNAPSHOT_DIRECTORY)).containsExactly(snapshot.toString());
        assertThat(orphans().remove()).isEmpty();
        assertThat(lost).doesNotExist();
        assertThat(snapshot).doesNotExist();
    }

    @Test
    void aNewSandboxNeverGetsTheDirectoryOfALostOne() throws IOException {
        Path lost = directory("sandboxes", "web-1");
        Files.createDirectory(lost.resolve("disk"));
        directory("sandboxes", "other-40");

        host.create(TestHost.named("web"));
        assertThat(host.row("web").orElseThrow().directory()).isEqualTo("web-41");
        host.create(TestHost.named("next"));
        assertThat(host.row("next").orElseThrow().directory()).isEqualTo("next-42");
        assertThat(lost.resolve("disk")).exists();
    }

    @Test
    void aPinOfWhatIsGoneIsReleased() {
        host.create(TestHost.named("made"));
        host.sql("INSERT INTO image_pin (holder_kind, holder_id, holder_name, manifest_id)"
                + " SELECT 'sandbox', '999', 'gone', manifest_id FROM image_pin LIMIT 1");
        assertThat(names(Orphan.Kind.IMAGE_PIN)).containsExactly("sandbox gone (999)");
        assertThat(orphans().remove()).isEmpty();
        assertThat(host.here.images().holders("sandbox"))
                .extracting(ImageHolder::name)
                .containsExactly("made");
    }

    private void sweepOnce() {
        try (SandboxMaintenance maintenance =
                sandboxes.maintenance(MaintenanceLimits.defaults().withBudget(Duration.ofSeconds(9)))) {
            assertThat(maintenance.sweep().errors()).isZero();
        }
    }
}
