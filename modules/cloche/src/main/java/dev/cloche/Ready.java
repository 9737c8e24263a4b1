package dev.cloche;

import dev.cloche.sandbox.SandboxException;
import dev.cloche.vm.ready.HttpQuestion;
import java.util.List;

/**
 * Says when what runs in a sandbox or a machine is ready, for {@link Sandbox#await} and {@link Machine#await}, and
 * whether a new VM of a pool is good, for {@link PoolBuilder#healthCheck(Ready)}.
 *
 * <pre>{@code
 * sandbox.await(Ready.port(6379), Duration.ofSeconds(30));
 * sandbox.await(Ready.log("ready to accept connections"), Duration.ofSeconds(30));
 * sandbox.await(Ready.http(8080, "/health"), Duration.ofMinutes(1));
 * sandbox.await(Ready.command("pg_isready"), Duration.ofMinutes(1));
 * }</pre>
 */
public sealed interface Ready {
    /**
     * Returns the condition that a program listens on a TCP port, on any address. The guest's kernel is asked, so this needs
     * no network, no published port and no program of the image.
     */
    static Ready port(int guestPort) {
        return new Port(guestPort);
    }

    /**
     * Returns the condition that the main command has written a text to its standard output or its standard error, as UTF-8.
     * Only of a detached sandbox, whose output is kept; what was written before the wait counts.
     */
    static Ready log(String text) {
        return new Log(text);
    }

    /**
     * Returns the condition that a GET is answered with a status from 200 to 399. It is asked from this host, through the guest's
     * agent, so that any image will do, without a network and without a published port.
     *
     * @param path begins with {@code /}
     */
    static Ready http(int guestPort, String path) {
        return new Http(guestPort, path);
    }

    /** Returns the condition that a command ends with exit code 0. It is run again and again until then. */
    static Ready command(String... words) {
        return new Command(List.of(words));
    }

    /**
     * Waits for a program that listens.
     *
     * @param guestPort 1 to 65,535, in the guest
     */
    record Port(int guestPort) implements Ready {
        /** @throws dev.cloche.base.ClocheException if there is no such port */
        public Port {
            checkPort(guestPort);
        }
    }

    /**
     * Waits for a text.
     *
     * @param text not empty
     */
    record Log(String text) implements Ready {
        /** @throws dev.cloche.base.ClocheException if the text is empty */
        public Log {
            if (text.isEmpty()) {
                throw new SandboxException.InvalidSpecification(
                        "An empty text is in every output.", "Give a text that is written once the program is ready.");
            }
        }
    }

    /**
     * Waits for an answer.
     *
     * @param guestPort 1 to 65,535, in the guest
     * @param path begins with {@code /}
     */
    record Http(int guestPort, String path) implements Ready {
        /** @throws dev.cloche.base.ClocheException if there is no such port, or the path is none */
        public Http {
            checkPort(guestPort);
            if (!HttpQuestion.isPath(path)) {
                throw new SandboxException.InvalidSpecification(
                        "A path of HTTP begins with / and has only letters that a URI may have.",
                        "Write it as /health, and percent-encode other letters.");
            }
        }
    }

    /**
     * Waits for a command's success.
     *
     * @param words the program and its arguments
     */
    record Command(List<String> words) implements Ready {
        /** Copies the words. */
        public Command {
            words = List.copyOf(words);
        }
    }

    private static void checkPort(int port) {
        if (port < 1 || port > 65_535) {
            throw new SandboxException.InvalidSpecification("There is no port " + port + ".", "Give 1 to 65535.");
        }
    }
}
