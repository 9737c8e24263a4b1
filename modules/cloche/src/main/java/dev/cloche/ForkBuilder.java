package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.ChildSpec;
import dev.cloche.sandbox.ForkOutcome;
import dev.cloche.sandbox.Forked;
import dev.cloche.sandbox.SandboxSnapshots;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Children of a running sandbox, about to be made: each begins where the parent is at that moment, with memory and disk of its
 * own and another identity, and nothing of the parent's is published again. Not safe for use from several threads.
 *
 * <pre>{@code
 * try (Fork fork = parent.forking().keepRunning(true).start(2)) {
 *     System.out.println(fork.pause());
 * }
 * }</pre>
 */
public final class ForkBuilder {
    private final Cloche cloche;
    private final LongSupplier parent;
    private @Nullable String name;
    private boolean ephemeral;
    private boolean keepRunning;
    private Duration waitForRoom = Duration.ZERO;
    private final ChildSecrets secrets = new ChildSecrets();

    /** @param parent the id of its row */
    ForkBuilder(Cloche cloche, LongSupplier parent) {
        this.cloche = cloche;
        this.parent = parent;
    }

    /**
     * Names the children {@code NAME-1}, {@code NAME-2} and so on. Without it they get generated names, and go away when they
     * end.
     */
    public ForkBuilder name(String value) {
        name = value;
        return this;
    }

    /** Sets whether children with names are removed when they end. */
    public ForkBuilder ephemeral(boolean value) {
        ephemeral = value;
        return this;
    }

    /** Lets what runs in the parent run on in each child; by default it is killed there before the caller gets the child. */
    public ForkBuilder keepRunning(boolean value) {
        keepRunning = value;
        return this;
    }

    /**
     * Gives each child a secret, as {@link SandboxBuilder#secret(String, byte[])} does. Those of the parent are taken away
     * before the caller gets a child, unless {@link #keepSecrets} says otherwise.
     */
    public ForkBuilder secret(String name, byte[] value) {
        secrets.add(name, value);
        return this;
    }

    /** Adds a secret that is a text, as UTF-8. */
    public ForkBuilder secret(String name, String value) {
        secrets.add(name, value);
        return this;
    }

    /**
     * Leaves in each child what the parent had in {@code /run/secrets}, up to the end of its VM: nothing of it is kept for a
     * further start. Not together with secrets of its own.
     */
    public ForkBuilder keepSecrets(boolean value) {
        secrets.keepOriginals(value);
        return this;
    }

    /**
     * Has each child wait for room, in turn, where the host's limits leave none, as {@link SandboxBuilder#waitForRoom} does; by
     * default it is refused at once, and no child is left.
     */
    public ForkBuilder waitForRoom(Duration longest) {
        waitForRoom = longest;
        return this;
    }

    /**
     * Makes the children and returns when all answer. They end when their handles are closed, or this process ends.
     *
     * @param count 1 to 100
     * @throws dev.cloche.base.ClocheException if the parent does not run or another process owns it, a name is in use, or a
     *     child does not come up; then no child is left
     */
    public Fork start(int count) {
        SandboxSnapshots room = cloche.sandboxRoom().snapshots();
        var forked = room.fork(parent.getAsLong(), children(count), Deadline.none());
        List<Sandbox> handles = forked.children().stream()
                .map(child -> new Sandbox(cloche, child))
                .toList();
        return new Fork(handles, forked.pause(), forked.total());
    }

    /** Starts the same as sandboxes that outlive this process. */
    public Forked<SandboxInfo> startDetached(int count) {
        SandboxSnapshots room = cloche.sandboxRoom().snapshots();
        return room.forkDetached(parent.getAsLong(), children(count), Deadline.none())
                .with(child -> SandboxInfo.of(child, cloche.sandboxRoom()));
    }

    /**
     * Makes those of the children that come up, from one capture of the parent, and returns when it is known of all. Those that
     * are up end when their handles are closed, or this process ends.
     *
     * @param count 1 to 100
     * @return an outcome for each, in the order of their numbers
     * @throws dev.cloche.base.ClocheException if the parent does not run or another process owns it, or this thread is
     *     interrupted; then no child is left
     */
    public Forked<ForkOutcome<Sandbox>> startEach(int count) {
        SandboxSnapshots room = cloche.sandboxRoom().snapshots();
        return room.forkEach(parent.getAsLong(), children(count), Deadline.none())
                .with(outcome -> outcome.with(child -> new Sandbox(cloche, child)));
    }

    /** Starts the same as sandboxes that outlive this process. */
    public Forked<ForkOutcome<SandboxInfo>> startEachDetached(int count) {
        SandboxSnapshots room = cloche.sandboxRoom().snapshots();
        return room.forkEachDetached(parent.getAsLong(), children(count), Deadline.none())
                .with(outcome -> outcome.with(child -> SandboxInfo.of(child, cloche.sandboxRoom())));
    }

    private List<ChildSpec> children(int count) {
        ChildSpec plain =
                secrets.addedTo(ChildSpec.unnamed().withRunning(keepRunning).withWaitForRoom(waitForRoom));
        return IntStream.rangeClosed(1, count)
                .mapToObj(i ->
                        name == null ? plain : plain.withName(name + "-" + i).withEphemeral(ephemeral))
                .toList();
    }
}
