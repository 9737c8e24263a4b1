package dev.cloche.qemu.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.TestClock;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProbedHostTest {
    private static final Duration DOUBT = Duration.ofMinutes(10);

    private final TestClock clock = new TestClock();
    private final BlockingQueue<Supplier<HostCapabilities>> answers = new LinkedBlockingQueue<>();
    private final AtomicInteger asked = new AtomicInteger();

    private final ProbedHost host = new ProbedHost(
            () -> {
                asked.incrementAndGet();
                return answers.remove().get();
            },
            clock);

    private static HostCapabilities certain(Accelerator accelerator) {
        return new HostCapabilities(
                new VmCapabilities("qemu", "10", accelerator, "max", true, "It was tried."), OptionalLong.empty());
    }

    private HostCapabilities doubtful() {
        return certain(Accelerator.TCG).askedAgainAt(clock.millis() + DOUBT.toMillis());
    }

    @Test
    void anAnswerInDoubtIsUsedUntilTheNextOneIsThere() {
        CountDownLatch go = new CountDownLatch(1);
        answers.add(this::doubtful);
        answers.add(() -> {
            await().until(() -> go.getCount() == 0);
            return certain(Accelerator.KVM);
        });
        assertThat(host.get().accelerator()).isEqualTo(Accelerator.TCG);
        assertThat(host.get().accelerator()).isEqualTo(Accelerator.TCG);
        assertThat(asked).hasValue(1);

        clock.forward(DOUBT);
        for (int i = 0; i < 10; i++) {
            assertThat(host.get().accelerator()).isEqualTo(Accelerator.TCG);
        }
        go.countDown();
        await().until(() -> host.get().accelerator() == Accelerator.KVM);
        assertThat(asked).hasValue(2);
        host.close();
    }

    @Test
    void aProbeThatFailsTheSecondTimeIsAskedOnceMore() {
        answers.add(this::doubtful);
        answers.add(() -> {
            throw new VmException.MissingResource("QEMU is gone", "Install it.", null);
        });
        answers.add(() -> certain(Accelerator.KVM));
        assertThat(host.get().accelerator()).isEqualTo(Accelerator.TCG);
        clock.forward(DOUBT);
        await().until(() -> host.get().accelerator() == Accelerator.KVM);
        assertThat(asked).hasValue(3);
    }

    @Test
    void theFirstOneThatAsksIsToldOfAFailure() {
        answers.add(() -> {
            throw new VmException.MissingResource("There is no QEMU", "Install it.", null);
        });
        answers.add(() -> certain(Accelerator.KVM));
        assertThatThrownBy(host::get).isInstanceOf(VmException.MissingResource.class);
        assertThat(host.get().accelerator()).isEqualTo(Accelerator.KVM);
    }

    @Test
    void theEndInterruptsAProbeAndBeginsNone() {
        AtomicBoolean interrupted = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        answers.add(this::doubtful);
        answers.add(() -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
            throw new VmException.Interrupted("probing QEMU");
        });
        HostCapabilities first = host.get();
        clock.forward(DOUBT);
        assertThat(List.of(host.get(), host.get())).containsOnly(first);
        await().until(() -> begun.getCount() == 0);
        host.close();
        assertThat(interrupted).isTrue();
        assertThat(host.get()).isEqualTo(first);
        assertThat(asked).hasValue(2);
    }
}
