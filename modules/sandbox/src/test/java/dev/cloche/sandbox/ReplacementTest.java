package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A sandbox takes the name of another one that does not run any more, and of no other. */
class ReplacementTest extends OnSnapshots {
    private static final String NAME = "one";

    private RunningSandbox replace() {
        return sandboxes.replacing(NAME, () -> host.start(TestHost.named(NAME)));
    }

    private void assertKept(long id, SandboxStatus status) {
        assertThatThrownBy(this::replace).isInstanceOfSatisfying(SandboxException.NameInUse.class, held -> {
            assertThat(held).hasMessageContaining(NAME);
            assertThat(held.getSuppressed()).hasAtLeastOneElementOfType(SandboxException.StillRunning.class);
        });
        assertThat(sandboxes.get(NAME).id()).isEqualTo(id);
        assertThat(sandboxes.get(NAME).status()).isEqualTo(status);
        assertThat(host.count("sandbox")).isOne();
    }

    private void assertReplaced(long id) {
        Path before = host.directory(NAME).path();
        try (RunningSandbox sandbox = replace()) {
            assertThat(sandbox.id()).isNotEqualTo(id);
            assertThat(host.id(NAME)).isEqualTo(sandbox.id());
            assertThat(TestHost.exec(sandbox, "true").await(TestHost.soon()).success())
                    .isTrue();
            assertThat(host.count("sandbox")).isOne();
            assertThat(host.count("run")).isOne();
            assertThat(host.count("image_pin")).isOne();
            assertThat(host.vms.memory.list()).hasSize(1);
            assertThat(before).doesNotExist();
        }
    }

    @Test
    void oneThatRunsKeepsItsName() {
        try (RunningSandbox sandbox = host.start(TestHost.named(NAME))) {
            assertKept(sandbox.id(), SandboxStatus.RUNNING);
            assertThat(TestHost.exec(sandbox, "true").await(TestHost.soon()).success())
                    .isTrue();
        }
        assertReplaced(host.id(NAME));
    }

    @Test
    void oneThatRunsWithoutAnOwnerKeepsItsName() {
        VmId vm = host.abandoned(TestHost.named(NAME), true);
        assertKept(host.id(NAME), SandboxStatus.RUNNING);
        host.vms.memory.crash(vm);
        assertReplaced(host.id(NAME));
    }

    @Test
    void oneThatIsPausedKeepsItsName() {
        SandboxRecord paused = host.startDetached(TestHost.named(NAME, "sleep", "1000"));
        sandboxes.pause(NAME, TestHost.soon());
        assertKept(paused.id(), SandboxStatus.PAUSED);
        sandboxes.remove(NAME, true, TestHost.soon());
    }

    @Test
    void oneThatAnotherProcessStartsKeepsItsName() {
        host.abandonedStart(TestHost.named(NAME), false);
        try (OwnerLock _ = host.lock(NAME)) {
            assertKept(host.id(NAME), SandboxStatus.STARTING);
        }
        assertReplaced(host.id(NAME));
    }

    @Test
    void theNameOfOneWhoseProcessIsGoneIsTakenAlthoughItsVmIsStillThere() {
        host.abandoned(TestHost.named(NAME), false);
        try (OwnerLock _ = host.lock(NAME)) {
            assertKept(host.id(NAME), SandboxStatus.RUNNING);
        }
        assertReplaced(host.id(NAME));
    }

    @Test
    void theNameOfAStartWhoseProcessIsGoneIsTakenAlthoughItsVmIsStillThere() {
        VmId id = host.abandonedStart(TestHost.named(NAME), false);
        try (Vm vm = host.vms.memory.create(VmSpec.of(id, RootDisk.raw(Path.of("/none"))))) {
            vm.start(TestHost.soon());
            vm.detach();
        }
        assertReplaced(host.id(NAME));
    }

    @Test
    void theNameOfOneThatDiedUnseenIsTaken() {
        host.vms.memory.crash(host.abandoned(TestHost.named(NAME), false));
        assertReplaced(host.id(NAME));
    }

    @Test
    void theNameOfOneThatWasNeverStartedIsTaken() {
        assertReplaced(host.create(TestHost.named(NAME)).id());
    }

    @Test
    void theNameOfOneThatIsSuspendedIsTakenAndItsMemoryGoesToo() {
        SandboxRecord suspended = host.startDetached(withDisk(NAME));
        sandboxes.suspend(NAME, TestHost.soon());
        assertReplaced(suspended.id());
        assertNoSnapshotLeft();
    }

    @Test
    void aNameThatComesFreeMeanwhileIsTaken() {
        host.start(TestHost.named(NAME)).close();
        Supplier<RunningSandbox> start = () -> {
            try {
                return host.start(TestHost.named(NAME));
            } catch (SandboxException.NameInUse held) {
                sandboxes.remove(NAME, false, TestHost.soon());
                throw held;
            }
        };
        try (RunningSandbox sandbox = sandboxes.replacing(NAME, start)) {
            assertThat(host.id(NAME)).isEqualTo(sandbox.id());
        }
    }

    @Test
    void aNameThatAnotherTakesMeanwhileIsItsOwn() {
        host.start(TestHost.named(NAME)).close();
        AtomicReference<SandboxRecord> faster = new AtomicReference<>();
        Supplier<RunningSandbox> start = () -> {
            if (host.row(NAME).isEmpty()) {
                faster.set(host.startDetached(TestHost.named(NAME, "sleep", "1000")));
            }
            return host.start(TestHost.named(NAME));
        };
        assertThatThrownBy(() -> sandboxes.replacing(NAME, start)).isInstanceOf(SandboxException.NameInUse.class);
        assertThat(sandboxes.get(NAME).status()).isEqualTo(SandboxStatus.RUNNING);
        assertThat(host.id(NAME)).isEqualTo(faster.get().id());
        sandboxes.remove(NAME, true, TestHost.soon());
    }

    @Test
    void ofManyThatReplaceAtOnceOneSucceeds() throws Exception {
        host.vms.memory.crash(host.abandoned(TestHost.named(NAME), true));
        List<RunningSandbox> started = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<RunningSandbox>> replacing = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                replacing.add(threads.submit(this::replace));
            }
            for (Future<RunningSandbox> each : replacing) {
                try {
                    started.add(each.get());
                } catch (ExecutionException e) {
                    assertThat(e.getCause()).isInstanceOf(SandboxException.NameInUse.class);
                }
            }
        }
        assertThat(started).singleElement().satisfies(sandbox -> {
            assertThat(host.id(NAME)).isEqualTo(sandbox.id());
            assertThat(TestHost.exec(sandbox, "true").await(TestHost.soon()).success())
                    .isTrue();
        });
        started.forEach(RunningSandbox::close);
        assertThat(host.count("sandbox")).isOne();
    }
}
