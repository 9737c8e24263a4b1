package dev.cloche.cli.sandbox;

import dev.cloche.SandboxBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import picocli.CommandLine.Option;

/** The secrets of a sandbox that is about to be made. */
final class SecretOptions {
    @Option(
            names = "--secret",
            paramLabel = "NAME",
            description = "Give the guest a file /run/secrets/NAME that only its root may read, with the value of the"
                    + " environment variable NAME; id=NAME,env=VARIABLE takes another variable's, id=NAME,src=FILE a file's."
                    + " May be repeated.")
    private List<String> secrets = new ArrayList<>();

    SandboxBuilder applyTo(SandboxBuilder builder) {
        give(builder::secret);
        return builder;
    }

    /** Gives all of them to what takes names and values. */
    void give(BiConsumer<String, byte[]> taker) {
        // All are understood before anything is read.
        List<SecretSource> sources = secrets.stream().map(SecretSource::parse).toList();
        if (!sources.isEmpty()) {
            OwnEnvironment environment = OwnEnvironment.ofThisProcess();
            sources.forEach(source -> taker.accept(source.name(), source.read(environment)));
        }
    }
}
