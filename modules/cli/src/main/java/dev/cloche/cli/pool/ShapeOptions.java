package dev.cloche.cli.pool;

import dev.cloche.PoolBuilder;
import dev.cloche.Pools;
import dev.cloche.cli.option.SizeOptions;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.vm.Network;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The image and the size of sandboxes, where nothing else of them matters. */
final class ShapeOptions {
    @Parameters(index = "0", arity = "0..1", paramLabel = "IMAGE", description = "The image, as for cloche run.")
    private String image = "";

    @Option(
            names = "--template",
            paramLabel = "NAME",
            description =
                    "In place of an image: a template of `cloche template make --as NAME`, which has a size and a network.")
    private @Nullable String template;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private SizeOptions size = new SizeOptions();

    @Option(
            names = "--network",
            paramLabel = "NETWORK",
            description = "none (default) or user, as for cloche run; sandboxes that publish ports take from no pool.",
            defaultValue = "none")
    private Network network = Network.NONE;

    /** Returns the pool that was meant. */
    PoolBuilder of(Pools pools) {
        if (template == null) {
            if (image.isEmpty()) {
                throw new UsageError("There is no image of a pool.", "Name one, or a template with --template.");
            }
            return pools.pool(image).memoryMib(size.memory()).cpus(size.cpus()).network(network);
        }
        for (String option : List.of("--memory", "--cpus", "--network")) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new UsageError(
                        option + " has no meaning with --template.",
                        "Its VMs have the size of the template; leave it out.");
            }
        }
        return pools.template(template);
    }

    /** Returns the words after the subject, of which the first stands where an image would. */
    List<String> words(List<String> others) {
        return template == null || image.isEmpty()
                ? others
                : Stream.concat(Stream.of(image), others.stream()).toList();
    }
}
