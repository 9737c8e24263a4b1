package dev.cloche.sandbox;

import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A test with a second runtime on the state root of its host, as of another process. */
abstract class BesideAnotherRuntime extends OnTestHost {
    TestHost.Opened other;

    @BeforeEach
    void openOther() {
        other = host.runtime();
    }

    @AfterEach
    void closeOther() {
        host.vms.noMoreScripts();
        other.close();
    }

    /** As the front door waits. */
    static void await(RunningSandbox sandbox, GuestExecution execution) {
        try {
            var _ = execution.await(TestHost.soon());
        } catch (GuestException.ConnectionLost lost) {
            throw sandbox.ended(lost);
        }
    }
}
