package dev.cloche.cli.sandbox;

import dev.cloche.cli.option.WaitForRoomOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options by which {@code restore} and {@code fork} say what the new sandboxes are. */
final class ChildOptions {
    @Option(
            names = "--name",
            paramLabel = "NAME",
            description =
                    "Name of the new sandbox; of children NAME-1, NAME-2, … Without one they get generated names and"
                            + " are removed when they end.")
    private @Nullable String name;

    @Option(names = "--rm", description = "Remove it when it ends.")
    private boolean ephemeral;

    @Option(
            names = "--keep-running",
            description =
                    "What ran in the original runs on in it, and its main command ends it; otherwise nothing of it"
                            + " runs.")
    private boolean keepRunning;

    @Option(
            names = "--keep-secrets",
            description =
                    "Leave the original's /run/secrets in its memory; otherwise it has those of --secret and no others.")
    private boolean keepSecrets;

    @Mixin
    private WaitForRoomOption waitForRoom = new WaitForRoomOption();

    @Mixin
    private SecretOptions secrets = new SecretOptions();

    @Nullable
    String name() {
        return name;
    }

    boolean ephemeral() {
        return ephemeral;
    }

    boolean keepRunning() {
        return keepRunning;
    }

    boolean keepSecrets() {
        return keepSecrets;
    }

    Duration waitForRoom() {
        return waitForRoom.longest();
    }

    SecretOptions secrets() {
        return secrets;
    }
}
