package dev.cloche.vmm.channel;

import dev.cloche.vm.GuestException;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.protocol.GuestMessage;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Tracks the requests of one connection that wait for their answers; bounded, because a guest may owe every answer. */
final class PendingRequests {
    private static final int MOST = 1024;
    /** What may be asked beyond, to clean up: more than an agent has executions. */
    private static final int RESERVE = 1024;

    private final String name;
    private final AtomicInteger ids = new AtomicInteger();
    private final ConcurrentHashMap<Integer, PendingRequest> pending = new ConcurrentHashMap<>();
    /** Why nothing is answered any more, once that is so. The first reason counts. */
    private final AtomicReference<Optional<VmException>> closed = new AtomicReference<>(Optional.empty());

    /** @param name of the VM, for messages */
    PendingRequests(String name) {
        this.name = name;
    }

    /**
     * Names a new request. It stays when its caller gives up, because its answer is still to come.
     *
     * @throws VmException.Busy if the guest leaves too many unanswered
     */
    int add(PendingRequest request) {
        return add(request, MOST);
    }

    /** Like {@link #add}, for requests without a waiter: takes from the reserve. */
    int addCleanUp(PendingRequest request) {
        return add(request, MOST + RESERVE);
    }

    private int add(PendingRequest request, int most) {
        if (pending.size() >= most) {
            throw new VmException.Busy(
                    "VM " + name + " leaves " + most + " requests unanswered", "Look at what the guest is doing.");
        }
        int id;
        do {
            id = ids.incrementAndGet();
        } while (id == 0 || pending.putIfAbsent(id, request) != null);
        closed.get().ifPresent(cause -> request.answer().completeExceptionally(cause));
        return id;
    }

    /**
     * Hands over an answer.
     *
     * @throws GuestException.ProtocolBroken if it answers nothing, or not in its way
     */
    void answered(GuestMessage.Answer answer) {
        PendingRequest request = pending.remove(answer.request());
        if (request == null) {
            throw new GuestException.ProtocolBroken("it answers what was not asked");
        }
        try {
            request.answered(answer);
        } catch (VmException wrong) {
            // It waits no more among the others, which are failed with the connection.
            request.answer().completeExceptionally(closed.get().orElse(wrong));
            throw wrong;
        }
    }

    /** Why the connection is closed, if it is. */
    Optional<VmException> closed() {
        return closed.get();
    }

    /** Says why the connection is closed, unless that was said before. */
    void closing(VmException cause) {
        closed.compareAndSet(Optional.empty(), Optional.of(cause));
    }

    /** Fails all that wait and will wait, for the reason that was given first. */
    VmException fail(VmException cause) {
        closing(cause);
        VmException reason = closed.get().orElse(cause);
        pending.values().forEach(request -> request.answer().completeExceptionally(reason));
        return reason;
    }
}
