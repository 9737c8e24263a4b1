package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.sandbox.ChildSpec;
import dev.cloche.vm.PublishedPort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A sandbox that is about to be restored from a snapshot. It has the snapshot's image, memory, processors, disk, main command
 * and network, and an identity of its own. Not safe for use from several threads.
 *
 * <pre>{@code
 * try (Sandbox sandbox = cloche.restore("prepared").start()) {
 *     sandbox.exec("cat", "/tmp/ready");
 * }
 * }</pre>
 */
public final class RestoreBuilder {
    private final Cloche cloche;
    private final String snapshot;
    private ChildSpec child = ChildSpec.unnamed();
    private boolean running;
    private boolean runningSaid;
    private final List<PublishedPort> ports = new ArrayList<>();
    private final ChildSecrets secrets = new ChildSecrets();

    RestoreBuilder(Cloche cloche, String snapshot) {
        this.cloche = cloche;
        this.snapshot = snapshot;
    }

    /** Names the sandbox, and its guest, as {@link SandboxBuilder#name} does. */
    public RestoreBuilder name(String value) {
        child = child.withName(value);
        return this;
    }

    /** Sets whether it is removed when it ends; one without a name is. To be said after {@link #name}. */
    public RestoreBuilder ephemeral(boolean value) {
        child = child.withEphemeral(value);
        return this;
    }

    /**
     * Lets what ran when the snapshot was taken run on. By default it is killed before the caller gets the sandbox, and of a
     * template that was {@linkplain Templates#prepare prepared} it runs on.
     */
    public RestoreBuilder keepRunning(boolean value) {
        running = value;
        runningSaid = true;
        return this;
    }

    /**
     * Gives the sandbox a secret, as {@link SandboxBuilder#secret(String, byte[])} does. Those of the original are taken away
     * before the caller gets it, unless {@link #keepSecrets} says otherwise.
     */
    public RestoreBuilder secret(String name, byte[] value) {
        secrets.add(name, value);
        return this;
    }

    /** Adds a secret that is a text, as UTF-8. */
    public RestoreBuilder secret(String name, String value) {
        secrets.add(name, value);
        return this;
    }

    /**
     * Leaves in the sandbox what the original had in {@code /run/secrets}, up to the end of its VM: nothing of it is kept for a
     * further start. Not together with secrets of its own.
     */
    public RestoreBuilder keepSecrets(boolean value) {
        secrets.keepOriginals(value);
        return this;
    }

    /** Has it wait for room, in turn, where the host's limits leave none, as {@link SandboxBuilder#waitForRoom} does. */
    public RestoreBuilder waitForRoom(Duration longest) {
        child = child.withWaitForRoom(longest);
        return this;
    }

    /** Publishes a TCP port, as {@link SandboxBuilder#publish(int)} does. The original's are not published again. */
    public RestoreBuilder publish(int guestPort) {
        ports.add(NetworkSettings.anyFor(guestPort));
        return this;
    }

    /** Publishes a port, as {@link SandboxBuilder#publish(String)} does. The original's are not published again. */
    public RestoreBuilder publish(String port) {
        ports.addAll(PublishedPort.parse(port));
        return this;
    }

    /**
     * Restores the sandbox and returns when its guest answers. It ends when the handle is closed, or this process ends.
     *
     * @throws dev.cloche.base.ClocheException if there is no such snapshot, the sandbox's name is in use, or the snapshot would
     *     not run here, because QEMU, kernel, agent or processor are others; nothing is left behind. A template that was
     *     prepared is made anew then, unless only its application can do so
     */
    public Sandbox start() {
        Sandbox clone = cloche.templates()
                .restored(
                        snapshot,
                        () -> new Sandbox(
                                cloche, cloche.sandboxRoom().snapshots().restore(snapshot, wanted(), Deadline.none())));
        try {
            cloche.templates().onClone(snapshot).ifPresent(command -> TemplateSteps.onClone(snapshot, clone, command));
            return clone;
        } catch (Throwable failed) {
            Uninterrupted.after(failed, () -> giveUp(clone));
            throw failed;
        }
    }

    /** Nothing is left of a start that has failed. */
    private void giveUp(Sandbox clone) {
        clone.close();
        if (!child.ephemeral()) {
            cloche.sandboxes().remove(clone.name(), true);
        }
    }

    /**
     * Starts the same as a sandbox that outlives this process. What is restored with memory ends when it is stopped, or with
     * its main command where that runs on; what boots runs its main command and ends with it.
     */
    public SandboxInfo startDetached() {
        if (cloche.templates().onClone(snapshot).isPresent()) {
            // It ends with this process until the command has run: no process finds one in which it has not.
            Sandbox clone = start();
            long id = clone.id();
            clone.detach();
            return SandboxInfo.of(cloche.sandboxRoom().get(id), cloche.sandboxRoom());
        }
        return cloche.templates()
                .restored(
                        snapshot,
                        () -> SandboxInfo.of(
                                cloche.sandboxRoom().snapshots().restoreDetached(snapshot, wanted(), Deadline.none()),
                                cloche.sandboxRoom()));
    }

    private ChildSpec wanted() {
        boolean keeps = runningSaid
                ? running
                : cloche.sandboxRoom().snapshots().get(snapshot).prepared();
        return secrets.addedTo(child.withRunning(keeps).withPorts(ports));
    }
}
