package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ReusedThreadsTest {
    private static CompletableFuture<Thread> run(String name, CountDownLatch end) {
        CompletableFuture<Thread> begun = new CompletableFuture<>();
        ReusedThreads.start(name, () -> {
            assertThat(Thread.currentThread().getName()).isEqualTo(name);
            begun.complete(Thread.currentThread());
            await(end);
        });
        return begun;
    }

    private static void await(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void workThatWaitsHoldsUpNoOther() {
        CountDownLatch end = new CountDownLatch(1);
        Set<Thread> threads = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            threads.add(run("work-" + i, end).join());
        }
        end.countDown();
        assertThat(threads).hasSize(20).allMatch(Thread::isDaemon).noneMatch(Thread::isVirtual);
    }

    /** An ended work's thread is idle a moment later; when, nothing says. */
    @Test
    void aThreadIsUsedAgain() {
        Set<Thread> threads = new HashSet<>();
        boolean again = false;
        while (!again) {
            CompletableFuture<Thread> begun = new CompletableFuture<>();
            ReusedThreads.start("short", () -> begun.complete(Thread.currentThread()));
            again = !threads.add(begun.join());
        }
        assertThat(threads).isNotEmpty();
    }

    @Test
    void aThreadHasNothingOfItsStarter() {
        InheritableThreadLocal<String> local = new InheritableThreadLocal<>();
        local.set("of the starter");
        CompletableFuture<String> seen = new CompletableFuture<>();
        ReusedThreads.start("look", () -> {
            String inherited = local.get();
            seen.complete(inherited == null ? "nothing" : inherited);
        });
        assertThat(seen.join()).isEqualTo("nothing");
    }
}
