package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.machine.RunningMachine;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.FileWatch;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What commands and files are in: a sandbox or a machine. */
interface GuestOwner {
    /** Does something with its guest's files, used as root. */
    <T> T withFiles(Function<GuestFiles, T> action);

    /** Opens a file of its guest for reading, used as root. */
    InputStream readFile(Function<GuestFiles, ? extends InputStream> opening);

    /** Opens a file of its guest for writing, used as root. */
    OutputStream writeFile(Function<GuestFiles, ? extends OutputStream> opening);

    /** Watches files of its guest, used as root. */
    FileWatch watchFiles(Function<GuestFiles, FileWatch> opening);

    /** Connects to what listens in its guest. */
    GuestStream dial(DialRequest request, Deadline deadline);

    /** Which ports of this host lead into its guest, published when it was started or later. */
    List<PublishedPort> publishedPorts();

    /** Has a TCP port of this host lead into its guest until it ends. */
    PublishedPort publish(PublishedPort port, Deadline deadline);

    /** Takes such a port back. */
    void unpublish(PublishedPort port, Deadline deadline);

    /** What a lost connection to its guest means. */
    RuntimeException ended(VmException lost);

    /** Why the guest does not work at present although it lives. */
    Optional<VmException.Hindered> hindrance();

    static GuestOwner of(RunningSandbox sandbox) {
        return new GuestOwner() {
            @Override
            public <T> T withFiles(Function<GuestFiles, T> action) {
                return sandbox.withFiles(action);
            }

            @Override
            public InputStream readFile(Function<GuestFiles, ? extends InputStream> opening) {
                return sandbox.readFile(opening);
            }

            @Override
            public OutputStream writeFile(Function<GuestFiles, ? extends OutputStream> opening) {
                return sandbox.writeFile(opening);
            }

            @Override
            public FileWatch watchFiles(Function<GuestFiles, FileWatch> opening) {
                return sandbox.watchFiles(opening);
            }

            @Override
            public GuestStream dial(DialRequest request, Deadline deadline) {
                return sandbox.dial(request, deadline);
            }

            @Override
            public List<PublishedPort> publishedPorts() {
                return sandbox.publishedPorts();
            }

            @Override
            public PublishedPort publish(PublishedPort port, Deadline deadline) {
                return sandbox.publish(port, deadline);
            }

            @Override
            public void unpublish(PublishedPort port, Deadline deadline) {
                sandbox.unpublish(port, deadline);
            }

            @Override
            public RuntimeException ended(VmException lost) {
                return sandbox.ended(lost);
            }

            @Override
            public Optional<VmException.Hindered> hindrance() {
                return sandbox.hindrance();
            }
        };
    }

    static GuestOwner of(RunningMachine machine) {
        return new GuestOwner() {
            @Override
            public <T> T withFiles(Function<GuestFiles, T> action) {
                return action.apply(machine.files());
            }

            @Override
            public InputStream readFile(Function<GuestFiles, ? extends InputStream> opening) {
                return opening.apply(machine.files());
            }

            @Override
            public OutputStream writeFile(Function<GuestFiles, ? extends OutputStream> opening) {
                return opening.apply(machine.files());
            }

            @Override
            public FileWatch watchFiles(Function<GuestFiles, FileWatch> opening) {
                return opening.apply(machine.files());
            }

            @Override
            public GuestStream dial(DialRequest request, Deadline deadline) {
                return machine.ask(guest -> guest.dial(request, deadline));
            }

            @Override
            public List<PublishedPort> publishedPorts() {
                return machine.publishedPorts();
            }

            @Override
            public PublishedPort publish(PublishedPort port, Deadline deadline) {
                return machine.publish(port, deadline);
            }

            @Override
            public void unpublish(PublishedPort port, Deadline deadline) {
                machine.unpublish(port, deadline);
            }

            @Override
            public RuntimeException ended(VmException lost) {
                return machine.ended(lost);
            }

            @Override
            public Optional<VmException.Hindered> hindrance() {
                return machine.hindrance();
            }
        };
    }
}
