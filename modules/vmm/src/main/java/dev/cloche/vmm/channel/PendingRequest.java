package dev.cloche.vmm.channel;

import dev.cloche.vm.GuestException;
import dev.cloche.vmm.protocol.GuestMessage;
import java.nio.ByteOrder;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Represents a request that waits for its answer. The reading thread judges the answer, so that a wrong one ends the
 * connection.
 */
sealed interface PendingRequest {
    CompletableFuture<?> answer();

    /**
     * Takes the answer.
     *
     * @throws GuestException.ProtocolBroken if this request cannot have such an answer
     */
    void answered(GuestMessage.Answer answer);

    /** A request that the guest just does. */
    record Deed(CompletableFuture<Boolean> answer) implements PendingRequest {
        @Override
        public void answered(GuestMessage.Answer message) {
            switch (message) {
                case GuestMessage.Done done -> answer.complete(true);
                case GuestMessage.Failed failed -> answer.completeExceptionally(failed.asException());
                default -> throw wrongKind();
            }
        }
    }

    /** Describes a ping of eight bytes. */
    record Ping(CompletableFuture<Boolean> answer, long value) implements PendingRequest {
        @Override
        public void answered(GuestMessage.Answer message) {
            boolean same = message instanceof GuestMessage.Pong pong
                    && pong.payload().remaining() == Long.BYTES
                    && pong.payload().order(ByteOrder.LITTLE_ENDIAN).getLong(0) == value;
            if (!same) {
                throw wrongKind();
            }
            answer.complete(true);
        }
    }

    /**
     * Describes a program to start, or a connection to make.
     *
     * @param register makes it known before anything that follows its start is read
     * @param abandon ends what has no waiter any more
     */
    record Start<T>(CompletableFuture<T> answer, Function<GuestMessage.Started, T> register, Consumer<T> abandon)
            implements PendingRequest {
        @Override
        public void answered(GuestMessage.Answer message) {
            switch (message) {
                case GuestMessage.Started started -> {
                    T begun = register.apply(started);
                    if (!answer.complete(begun)) {
                        abandon.accept(begun);
                    }
                }
                case GuestMessage.Failed failed -> answer.completeExceptionally(failed.asException());
                default -> throw wrongKind();
            }
        }
    }

    /**
     * Describes an execution to attach to.
     *
     * @param register makes the execution known before anything that follows is read
     * @param abandon lets go of an execution that has no waiter any more
     * @param answered runs in any case
     */
    record Attach(
            CompletableFuture<ChannelExecution> answer,
            int execution,
            Function<GuestMessage.Attached, ChannelExecution> register,
            Consumer<ChannelExecution> abandon,
            Runnable answered)
            implements PendingRequest {
        @Override
        public void answered(GuestMessage.Answer message) {
            answered.run();
            switch (message) {
                case GuestMessage.Attached attached
                when attached.execution() == execution -> {
                    ChannelExecution rest = register.apply(attached);
                    if (!answer.complete(rest)) {
                        abandon.accept(rest);
                    }
                }
                case GuestMessage.Failed failed -> answer.completeExceptionally(failed.asException());
                default -> throw wrongKind();
            }
        }
    }

    /** Describes a question whose whole answer is one message. */
    record Question<T extends GuestMessage.Answer>(CompletableFuture<T> answer, Class<T> kind)
            implements PendingRequest {
        @Override
        public void answered(GuestMessage.Answer message) {
            if (message instanceof GuestMessage.Failed failed) {
                answer.completeExceptionally(failed.asException());
            } else if (kind.isInstance(message)) {
                answer.complete(kind.cast(message));
            } else {
                throw wrongKind();
            }
        }
    }

    private static GuestException.ProtocolBroken wrongKind() {
        return new GuestException.ProtocolBroken("a request has an answer that does not fit");
    }
}
