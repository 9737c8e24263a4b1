package dev.cloche.vm;

import dev.cloche.base.EnumNames;
import dev.cloche.base.Printable;
import dev.cloche.linux.SystemCallException;
import org.jspecify.annotations.Nullable;

/** What can go wrong between the host and a guest: the connection, executions, copies. */
public abstract sealed class GuestException extends VmException {
    private GuestException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    /** The connection to the guest is closed: the VM has ended, the handle was closed, or the guest broke the protocol. */
    public static final class ConnectionLost extends GuestException {
        public ConnectionLost(String sentence, @Nullable Throwable cause) {
            super("vm.connection-lost", sentence, "Look at how the VM ended.", cause);
        }
    }

    /**
     * The guest sent what the protocol does not allow. The host closes the connection, because a guest that does so once is
     * broken or hostile.
     */
    public static final class ProtocolBroken extends GuestException {
        public ProtocolBroken(String sentence) {
            super(
                    "vm.protocol",
                    "The guest broke the protocol: " + sentence,
                    "Kill the VM; do not trust its output.",
                    null);
        }
    }

    /** The agent did not do what it was asked to, for a reason other than the program that was to be started. */
    public static final class Refused extends GuestException {
        private final GuestFailure failure;

        public Refused(GuestFailure failure, String sentence) {
            super("vm.guest." + EnumNames.of(failure), "The guest refused: " + sentence, "", null);
            this.failure = failure;
        }

        public GuestFailure failure() {
            return failure;
        }
    }

    /** Nothing in the guest takes connections where one was to go. */
    public static final class ConnectionRefused extends GuestException {
        public ConnectionRefused(String sentence) {
            super(
                    "vm.connection-refused",
                    "The guest refused the connection: " + sentence,
                    "Start what is to listen there, or wait for it with some patience.",
                    null);
        }
    }

    /** The guest has reset a connection: its program has ended, or does not want it any more. */
    public static final class ConnectionReset extends GuestException {
        public ConnectionReset(String target) {
            super("vm.connection-reset", "The guest has reset the connection to " + target, "Connect again.", null);
        }
    }

    /** The agent of a VM that an earlier version started does not know what it is asked for. */
    public static final class OlderAgent extends GuestException {
        public OlderAgent(String what) {
            super(
                    "vm.older-agent",
                    "This VM began with an older version of Cloche, whose agent has no " + what,
                    "Stop it and start it again.",
                    null);
        }
    }

    /**
     * The guest no longer has some bytes of an execution's output, because no attached process took them in time. It is
     * thrown once; the next read goes on behind the gap.
     */
    public static final class OutputGap extends GuestException {
        private final long offset;
        private final long missing;

        public OutputGap(String stream, long offset, long missing) {
            super(
                    "vm.output-gap",
                    stream + " lost " + missing + " bytes after offset " + offset,
                    "Give the execution a larger window, or have its output acknowledged.",
                    null);
            this.offset = offset;
            this.missing = missing;
        }

        /** Returns the offset of the first byte that is missing. */
        public long offset() {
            return offset;
        }

        /** Returns how many bytes are missing. */
        public long missing() {
            return missing;
        }
    }

    /** Another connection has attached to the execution; it runs on, and its output goes there. */
    public static final class ExecutionTaken extends GuestException {
        public ExecutionTaken(int execution) {
            super(
                    "vm.execution-taken",
                    "Another connection has attached to execution " + Integer.toUnsignedString(execution),
                    "Attach to it again to take it back.",
                    null);
        }
    }

    /** This handle of an execution was closed before the execution's end was seen; the execution may run on. */
    public static final class ExecutionClosed extends GuestException {
        public ExecutionClosed(int execution) {
            super(
                    "vm.execution-closed",
                    "The handle of execution " + Integer.toUnsignedString(execution) + " was closed",
                    "Attach to the execution to see more of it.",
                    null);
        }
    }

    /**
     * A copy ended before it was complete. The cause says why, and has the same code. Left are whole files and links, and the
     * directories that they are in, some of which have only their owner's rights; no half of a file has its name.
     */
    public static final class CopyIncomplete extends GuestException {
        private final CopyReport copied;

        public CopyIncomplete(String destination, CopyReport copied, VmException cause) {
            super(
                    cause.code(),
                    cause.sentence() + ". So the copy to '" + Printable.of(destination)
                            + "' is not complete; whole in it: " + copied.entries(),
                    cause.remedy(),
                    cause);
            this.copied = copied;
        }

        /** Returns what is left at the destination and whole. */
        public CopyReport copied() {
            return copied;
        }
    }

    /** A copy is larger than its {@link CopyOptions} allow. */
    public static final class CopyLimit extends GuestException {
        public CopyLimit(String what) {
            super("vm.copy-limit", "The copy has more than " + what, "Copy less, or raise the limit.", null);
        }
    }

    /** A copy could not read or write a file of the host. */
    public static final class HostFile extends GuestException {
        private final String path;

        private HostFile(String path, String what, String remedy, @Nullable Throwable cause) {
            super("vm.host-file", "On this host, '" + Printable.of(path) + "' " + what, remedy, cause);
            this.path = path;
        }

        public static HostFile of(String path, SystemCallException refused) {
            String what = refused.sentence();
            return new HostFile(
                    path,
                    "cannot be used: "
                            + what.substring(what.lastIndexOf(": ") + 1).strip(),
                    "Check its path, its mode and the space on its disk.",
                    refused);
        }

        public static HostFile inTheWay(String path, String what) {
            return new HostFile(path, "is in the way: " + what, "Move it away, or copy to another name.", null);
        }

        public static HostFile unusable(String path, String what, String remedy) {
            return new HostFile(path, what, remedy, null);
        }

        /** Returns which file of the host; names that are no UTF-8 as in {@link dev.cloche.base.RawText}. */
        public String path() {
            return path;
        }
    }
}
