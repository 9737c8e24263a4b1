package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.cloche.vm.VmId;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Ends that several bring about in the same moment. */
class SandboxTerminatorTest extends BesideAnotherRuntime {
    @Test
    void closersAtOnceEndItOnce() throws Exception {
        for (int i = 0; i < 10; i++) {
            RunningSandbox sandbox = host.start(TestHost.ephemeral("a"));
            together(4, number -> {
                sandbox.close();
                assertThat(host.here.store().list(SandboxFilter.all())).isEmpty();
            });
        }
        host.assertNothingLeft();
    }

    @Test
    void aCrashAndACloseAtOnce() throws Exception {
        for (int i = 0; i < 20; i++) {
            RunningSandbox sandbox = host.start(TestHost.ephemeral("a"));
            VmId id = host.vm("a");
            together(2, number -> {
                if (number == 0) {
                    var _ = catchThrowable(() -> host.vms.memory.crash(id));
                } else {
                    sandbox.close();
                }
            });
            assertThat(host.here.store().list(SandboxFilter.all())).isEmpty();
        }
        host.assertNothingLeft();
    }

    @Test
    void runtimesThatStopRemoveAndListAtOnceEachSucceedOrFindItGone() throws Exception {
        for (int i = 0; i < 20; i++) {
            RunningSandbox sandbox = host.start(i % 2 == 0 ? TestHost.named("a") : TestHost.ephemeral("a"));
            together(
                    5,
                    number -> goneIsFine(() -> {
                        SandboxManager sandboxes = number % 2 == 0 ? host.here.sandboxes() : other.sandboxes();
                        switch (number) {
                            case 0 -> sandbox.close();
                            case 1 -> sandboxes.stop("a", TestHost.GRACE, TestHost.soon());
                            case 2, 3 -> sandboxes.remove("a", true, TestHost.soon());
                            default -> sandboxes.list();
                        }
                    }));
            assertThat(host.here.store().list(SandboxFilter.all())).isEmpty();
            assertThat(host.vms.memory.list()).isEmpty();
        }
        host.assertNothingLeft();
    }

    @Test
    void startsAndForcedRemovalsOfOneNameLeaveNothing() throws Exception {
        together(3, number -> {
            for (int i = 0; i < 15; i++) {
                if (number == 0) {
                    host.start(TestHost.ephemeral("a")).close();
                } else {
                    refusedIsFine(() -> other.sandboxes().remove("a", true, TestHost.soon()));
                }
            }
        });
        host.assertNothingLeft();
    }

    private static void goneIsFine(Runnable deed) {
        try {
            deed.run();
        } catch (SandboxException.NotFound gone) {
            // Another thread was faster.
        }
    }

    private static void refusedIsFine(Runnable deed) {
        try {
            deed.run();
        } catch (SandboxException.NotFound | SandboxException.Starting refused) {
            // It is not there yet, or still its starter's.
        }
    }

    interface Part {
        void play(int number) throws Exception;
    }

    private static void together(int parts, Part part) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(parts);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> played = IntStream.range(0, parts)
                    .<Future<?>>mapToObj(number -> threads.submit(() -> {
                        barrier.await();
                        part.play(number);
                        return number;
                    }))
                    .toList();
            for (Future<?> one : played) {
                one.get();
            }
        }
    }
}
