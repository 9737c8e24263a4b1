package dev.cloche.junit;

import dev.cloche.Ready;
import dev.cloche.SandboxBuilder;
import dev.cloche.vm.Network;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What a test asks of a sandbox. Immutable.
 *
 * @param command in place of the image's own; empty for that
 * @param main whether a main command is run, {@code command} or the image's own
 * @param ports that are to be reached from this host
 * @param conditions that are to be so when the test begins, if there is a main command
 * @param pool how many VMs are kept ready; 0 for no pool
 * @param readyLimit how long to wait for each condition
 */
record SandboxSettings(
        String image,
        List<String> command,
        boolean main,
        Map<String, String> environment,
        int memoryMib,
        int cpus,
        Network network,
        List<Integer> ports,
        List<Ready> conditions,
        int pool,
        Duration readyLimit) {
    SandboxSettings {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        ports = List.copyOf(ports);
        conditions = List.copyOf(conditions);
    }

    static SandboxSettings of(Sandboxed annotation) {
        return new SandboxSettings(
                annotation.image(),
                List.of(annotation.command()),
                annotation.imageCommand() || annotation.command().length > 0,
                environment(annotation.environment()),
                annotation.memoryMib(),
                annotation.cpus(),
                annotation.network(),
                IntStream.of(annotation.publish()).boxed().toList(),
                IntStream.of(annotation.publish()).mapToObj(Ready::port).toList(),
                annotation.pool(),
                Duration.ofSeconds(annotation.readySeconds()));
    }

    private static Map<String, String> environment(String[] variables) {
        Map<String, String> environment = new LinkedHashMap<>();
        for (String variable : variables) {
            int equals = variable.indexOf('=');
            if (equals < 1) {
                throw new TestSandboxException.NoVariable(variable);
            }
            environment.put(variable.substring(0, equals), variable.substring(equals + 1));
        }
        return environment;
    }

    void configure(SandboxBuilder builder) {
        builder.memoryMib(memoryMib).cpus(cpus).command(command.toArray(String[]::new));
        environment.forEach(builder::environment);
        builder.network(network);
        if (publishes()) {
            ports.forEach(builder::publish);
        }
    }

    /** Says whether its ports are those of its network; else they lead through the channel to its guest. */
    boolean publishes() {
        return network == Network.USER;
    }

    /** Returns the texts that its main command is to write. */
    List<String> texts() {
        return conditions.stream()
                .filter(Ready.Log.class::isInstance)
                .map(condition -> ((Ready.Log) condition).text())
                .toList();
    }
}
