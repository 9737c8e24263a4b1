package dev.cloche.cli.pool;

import dev.cloche.PoolBuilder;
import dev.cloche.Ready;
import dev.cloche.cli.terminal.UsageError;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options by which {@code pool set} says what each new VM is asked. */
final class HealthOptions {
    @Option(
            names = "--health-port",
            paramLabel = "PORT",
            description = "Reject a new VM in which no program listens on a port. May be repeated.")
    private List<Integer> ports = new ArrayList<>();

    @Option(
            names = "--health-http",
            paramLabel = "PORT/PATH",
            description =
                    "Reject a new VM that does not answer a GET well, with a status from 200 to 399. May be repeated.")
    private List<String> pages = new ArrayList<>();

    void addTo(PoolBuilder pool) {
        conditions().forEach(pool::healthCheck);
    }

    List<Ready> conditions() {
        List<Ready> conditions = new ArrayList<>();
        ports.forEach(port -> conditions.add(Ready.port(port)));
        pages.forEach(page -> conditions.add(http(page)));
        return conditions;
    }

    /** Returns the page that a text such as 8000/health names. */
    static Ready http(String page) {
        int slash = page.indexOf('/');
        // No more digits than a port has: what is more is none, and need not be a number that fits.
        if (slash < 0 || !page.substring(0, slash).matches("[0-9]{1,5}")) {
            throw new UsageError(
                    "\"" + page + "\" does not say which port is asked for which page.", "Write it as 8000/health.");
        }
        return Ready.http(Integer.parseInt(page.substring(0, slash)), page.substring(slash));
    }
}
