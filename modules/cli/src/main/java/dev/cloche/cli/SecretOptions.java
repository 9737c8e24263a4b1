package dev.cloche.cli;

import dev.cloche.SandboxBuilder;
import java.util.ArrayList;
import java.util.List;
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
        // All are understood before anything is read.
        List<SecretSource> sources = secrets.stream().map(SecretSource::parse).toList();
        if (!sources.isEmpty()) {
            OwnEnvironment environment = OwnEnvironment.ofThisProcess();
            sources.forEach(source -> builder.secret(source.name(), source.read(environment)));
        }
        return builder;
    }
}
