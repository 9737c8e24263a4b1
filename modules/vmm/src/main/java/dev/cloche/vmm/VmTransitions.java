package dev.cloche.vmm;

import dev.cloche.vm.VmState;
import java.util.Optional;

/** The one table of a VM's transitions: a pure function. */
public final class VmTransitions {
    private VmTransitions() {}

    /** Returns the state after {@code transition} happens in {@code state}; empty if it cannot happen there. */
    public static Optional<VmState> next(VmState state, VmTransition transition) {
        return Optional.ofNullable(
                switch (state) {
                    case CREATED ->
                        switch (transition) {
                            case STARTED -> VmState.RUNNING;
                            case START_FAILED -> VmState.FAILED;
                            case DESTROYED -> VmState.DESTROYED;
                            case PAUSED, RESUMED, ENDED, CRASHED -> null;
                        };
                    case RUNNING ->
                        switch (transition) {
                            case PAUSED -> VmState.PAUSED;
                            case ENDED -> VmState.STOPPED;
                            case CRASHED -> VmState.FAILED;
                            case STARTED, START_FAILED, RESUMED, DESTROYED -> null;
                        };
                    case PAUSED ->
                        switch (transition) {
                            case RESUMED -> VmState.RUNNING;
                            case ENDED -> VmState.STOPPED;
                            case CRASHED -> VmState.FAILED;
                            case STARTED, START_FAILED, PAUSED, DESTROYED -> null;
                        };
                    case STOPPED, FAILED -> transition == VmTransition.DESTROYED ? VmState.DESTROYED : null;
                    case DESTROYED -> null;
                });
    }
}
