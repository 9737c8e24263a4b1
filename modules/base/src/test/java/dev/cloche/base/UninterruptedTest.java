package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UninterruptedTest {
    @AfterEach
    void forgetTheInterrupt() {
        var _ = Thread.interrupted();
    }

    @Test
    void theWorkSeesNoInterruptAndTheCallerKeepsIt() {
        AtomicBoolean seen = new AtomicBoolean();
        Thread.currentThread().interrupt();
        Uninterrupted.run(() -> seen.set(Thread.currentThread().isInterrupted()));
        assertThat(seen).isFalse();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void whatTheWorkThrowsIsThrown() {
        IllegalStateException failure = new IllegalStateException();
        assertThatThrownBy(() -> Uninterrupted.run(() -> {
                    throw failure;
                }))
                .isSameAs(failure);
        AssertionError error = new AssertionError();
        assertThatThrownBy(() -> Uninterrupted.run(() -> {
                    throw error;
                }))
                .isSameAs(error);
    }

    @Test
    void afterAFailureASecondOneIsToldWithIt() {
        Exception first = new Exception();
        AssertionError second = new AssertionError();
        Uninterrupted.after(first, () -> {
            throw second;
        });
        assertThat(first.getSuppressed()).containsExactly(second);
    }
}
