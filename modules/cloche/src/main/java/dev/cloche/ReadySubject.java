package dev.cloche;

import dev.cloche.base.ClocheException;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.RunningMachine;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.vm.OutputLog;
import java.time.Duration;
import java.util.Optional;

/** Gives what a {@link ReadyWait} asks: a sandbox or a machine. */
interface ReadySubject {
    GuestOwner owner();

    CommandBuilder command(String... words);

    /** Opens what its main command writes. */
    OutputLog outputLog();

    /** Waits for its end, which is answered as an error with its reason; empty if it still runs after so long. */
    Optional<RuntimeException> awaitEnd(Duration longest);

    /**
     * Returns that it is not ready in time.
     *
     * @param why a sentence without a full stop, in the present
     */
    ClocheException notReady(String why);

    static ReadySubject of(Sandbox sandbox, RunningSandbox running) {
        return new ReadySubject() {
            @Override
            public GuestOwner owner() {
                return GuestOwner.of(running);
            }

            @Override
            public CommandBuilder command(String... words) {
                return sandbox.command(words);
            }

            @Override
            public OutputLog outputLog() {
                return sandbox.outputLog();
            }

            @Override
            public Optional<RuntimeException> awaitEnd(Duration longest) {
                return running.awaitEnd(longest);
            }

            @Override
            public ClocheException notReady(String why) {
                return new SandboxException.NotReady(sandbox.name(), why);
            }
        };
    }

    static ReadySubject of(Machine machine, RunningMachine running) {
        return new ReadySubject() {
            @Override
            public GuestOwner owner() {
                return GuestOwner.of(running);
            }

            @Override
            public CommandBuilder command(String... words) {
                return machine.command(words);
            }

            @Override
            public OutputLog outputLog() {
                throw new MachineException.Invalid(
                        "A machine has no main command whose output is kept.",
                        "Wait for Ready.command with a program of the machine that tells whether it is ready.");
            }

            @Override
            public Optional<RuntimeException> awaitEnd(Duration longest) {
                return running.awaitEnd(longest);
            }

            @Override
            public ClocheException notReady(String why) {
                return new MachineException.NotReady(running.name(), why);
            }
        };
    }
}
