package dev.cloche.execution;

import dev.cloche.base.JsonValue;
import dev.cloche.process.EventAppend;
import dev.cloche.process.EventType;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessEvent;
import java.util.List;
import java.util.Map;

/**
 * Says how far an execution has come, as its log tells. The next owner goes on from there, and never starts a second time
 * what may have been started. Pure.
 */
sealed interface ExecutionProgress {
    /** Recorded before the guest is asked, with the VM that is asked: another VM never heard of it. */
    EventType STARTING = EventType.plain("exec.starting");
    /** Recorded when the guest has answered. */
    EventType STARTED = EventType.plain("exec.started");
    /** How much of the output is safe on this host's disk. */
    EventType OUTPUT = EventType.plain("exec.output");

    /** No start was tried. */
    record Registered() implements ExecutionProgress {}

    /** It was to be started in this VM; only that VM knows whether it was. */
    record Starting(String vm) implements ExecutionProgress {}

    /** It runs, or ran, in this VM. */
    record Started(String vm, int execution) implements ExecutionProgress {}

    static ExecutionProgress of(List<ProcessEvent> events) {
        ExecutionProgress progress = new Registered();
        for (ProcessEvent event : events) {
            JsonValue.Fields payload = event.payload().fields();
            if (event.type().equals(STARTING.name())) {
                progress = new Starting(payload.requireText("vm"));
            } else if (event.type().equals(STARTED.name())) {
                progress = new Started(payload.requireText("vm"), (int) payload.requireWhole("execution"));
            }
        }
        return progress;
    }

    static EventAppend starting(String vm) {
        return EventAppend.of(STARTING.name(), Json.object(Map.of("vm", Json.of(vm))))
                .withReplayKey(STARTING.name());
    }

    static EventAppend started(String vm, int execution) {
        return EventAppend.of(
                        STARTED.name(),
                        Json.object(Map.of("vm", Json.of(vm), "execution", Json.of(Integer.toUnsignedLong(execution)))))
                .withReplayKey(STARTED.name());
    }

    static EventAppend output(long stdout, long stderr) {
        return EventAppend.of(OUTPUT.name(), Json.object(Map.of("stdout", Json.of(stdout), "stderr", Json.of(stderr))));
    }
}
