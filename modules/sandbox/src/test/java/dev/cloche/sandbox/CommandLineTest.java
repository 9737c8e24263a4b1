package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.ImageConfig;
import dev.cloche.image.Platform;
import dev.cloche.sandbox.record.CommandLine;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ResourceLimit;
import dev.cloche.vm.TerminalSize;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CommandLineTest {
    private static final ImageConfig SILENT = config(List.of(), List.of(), List.of(), "", "");

    @Test
    void theImagesEntrypointAndArgumentsAreTheCommand() {
        assertThat(main(List.of("entry"), List.of("a", "b"))).containsExactly("entry", "a", "b");
        assertThat(main(List.of(), List.of("a", "b"))).containsExactly("a", "b");
        assertThat(main(List.of("entry"), List.of())).containsExactly("entry");
    }

    @Test
    void whatTheCallerGivesReplacesTheArgumentsButNotTheEntrypoint() {
        assertThat(main(List.of("entry"), List.of("a", "b"), "c")).containsExactly("entry", "c");
        assertThat(main(List.of(), List.of("a", "b"), "c")).containsExactly("c");
    }

    @Test
    void nothingAtAllIsNoCommand() {
        assertThatThrownBy(() -> main(List.of(), List.of()))
                .isInstanceOf(SandboxException.NoCommand.class)
                .hasMessageStartingWith("The image bare names no command, and none was given.");
    }

    @Test
    void theCallersVariablesReplaceTheImagesWhichReplaceTheDefaultPath() {
        ImageConfig image = config(List.of(), List.of(), List.of("PATH=/opt", "A=image", "B=image=2"), "", "");
        CommandOptions options =
                new CommandOptions(Map.of("A", "mine", "C", ""), Optional.empty(), Optional.empty(), false);
        assertThat(request(image, options).environment())
                .isEqualTo(Map.of("PATH", "/opt", "A", "mine", "B", "image=2", "C", ""));
        assertThat(request(SILENT, CommandOptions.none()).environment())
                .isEqualTo(Map.of("PATH", ExecRequest.DEFAULT_PATH));
    }

    @Test
    void whatIsNoVariableInAnImageIsLeftOut() {
        ImageConfig image = config(List.of(), List.of(), List.of("nothing", "=value", "A=1"), "", "");
        assertThat(request(image, CommandOptions.none()).environment()).containsOnlyKeys("PATH", "A");
    }

    @Test
    void theImagesUserAndDirectoryHoldUnlessTheCallerSaysOtherwise() {
        ImageConfig image = config(List.of(), List.of(), List.of(), "www:web", "/srv");
        ExecRequest plain = request(image, CommandOptions.none());
        assertThat(plain.user()).isEqualTo("www:web");
        assertThat(plain.workingDirectory()).isEqualTo("/srv");

        ExecRequest changed =
                request(image, new CommandOptions(Map.of(), Optional.of("/tmp"), Optional.of("0"), false));
        assertThat(changed.user()).isEqualTo("0");
        assertThat(changed.workingDirectory()).isEqualTo("/tmp");
    }

    @Test
    void aDirectoryOfAnImageIsReadFromTheRoot() {
        assertThat(request(SILENT, CommandOptions.none()).workingDirectory()).isEqualTo("/");
        ImageConfig relative = config(List.of(), List.of(), List.of(), "", "srv");
        assertThat(request(relative, CommandOptions.none()).workingDirectory()).isEqualTo("/srv");
    }

    @Test
    void aTerminalLimitsAndKeptOutputArePassedOn() {
        TerminalSize size = new TerminalSize(24, 80);
        ResourceLimit files = new ResourceLimit(ResourceLimit.Resource.NOFILE, 1, 2);
        CommandOptions options = new CommandOptions(
                Map.of(), Optional.empty(), Optional.empty(), false, Optional.of(size), true, List.of(files));
        ExecRequest asked = request(SILENT, options);
        assertThat(asked.terminal()).contains(size);
        assertThat(asked.limits()).containsExactly(files);
        assertThat(asked.options()).contains(ExecRequest.Option.ACKNOWLEDGED);
        assertThat(request(SILENT, CommandOptions.none()).terminal()).isEmpty();
    }

    @Test
    void theImagesDirectoryIsMadeAndATypingErrorOfTheCallerIsNot() {
        ImageConfig image = config(List.of(), List.of(), List.of(), "", "/srv");
        CommandOptions elsewhere = new CommandOptions(Map.of(), Optional.of("/tpm"), Optional.empty(), false);
        assertThat(request(image, CommandOptions.none()).has(ExecRequest.Option.CREATE_WORKING_DIRECTORY))
                .isTrue();
        assertThat(request(image, elsewhere).has(ExecRequest.Option.CREATE_WORKING_DIRECTORY))
                .isFalse();
        MainCommand main = new MainCommand(List.of("true"), elsewhere);
        assertThat(CommandLine.mainRequest("bare", main, image).has(ExecRequest.Option.CREATE_WORKING_DIRECTORY))
                .isTrue();
    }

    @Test
    void anEntrypointOfTheCallerTakesTheImagesCommandAwayToo() {
        ImageConfig image = config(List.of("/init"), List.of("serve"), List.of(), "", "");
        assertThat(whole(image, "sh", "-c", "true").arguments()).containsExactly("sh", "-c", "true");
        assertThat(whole(image, "sh").arguments()).containsExactly("sh");
        assertThatThrownBy(() -> whole(image)).isInstanceOf(SandboxException.NoCommand.class);
    }

    private static ExecRequest whole(ImageConfig image, String... words) {
        MainCommand main = new MainCommand(
                List.of(words), CommandOptions.none(), Optional.empty(), true, CommandOptions.none(), false);
        return CommandLine.mainRequest("bare", main, image);
    }

    @Test
    void theStopSignalIsTheCallersOrTheImagesAndSigtermIsNone() {
        assertThat(stopSignal("SIGQUIT", "")).contains(3);
        assertThat(stopSignal("28", "")).contains(28);
        assertThat(stopSignal("SIGQUIT", "rtmin+3")).contains(37);
        assertThat(stopSignal("SIGQUIT", "SIGTERM")).isEmpty();
        assertThat(stopSignal("", "")).isEmpty();
    }

    @Test
    void anImagesAbsurdStopSignalIsLeftOutAndSaid() {
        for (String absurd : List.of("SIGWHATEVER", "65", "0", "-1", "SIG", "99999999999", "RTMIN+31", "\u001b]0;x")) {
            assertThat(stopSignal(absurd, "")).isEmpty();
            assertThat(CommandLine.doubt(command(""), stoppedBy(absurd)).orElseThrow())
                    .contains("stop signal")
                    .doesNotContain("\u001b");
        }
        assertThat(CommandLine.doubt(command("QUIT"), stoppedBy("65"))).isEmpty();
        assertThat(CommandLine.doubt(command(""), stoppedBy("sigint"))).isEmpty();
        assertThat(CommandLine.doubt(command(""), SILENT)).isEmpty();
    }

    private static Optional<Integer> stopSignal(String images, String callers) {
        return CommandLine.mainRequest("bare", command(callers), stoppedBy(images))
                .stopSignal();
    }

    private static MainCommand command(String stopSignal) {
        Optional<StopSignal> signal =
                stopSignal.isEmpty() ? Optional.empty() : Optional.of(StopSignal.parse(stopSignal));
        return new MainCommand(List.of("true"), CommandOptions.none(), signal, false, CommandOptions.none(), false);
    }

    private static ImageConfig stoppedBy(String signal) {
        return new ImageConfig(List.of(), List.of(), List.of(), "", "", Map.of(), signal, Platform.host());
    }

    @Test
    void theInputIsEmptyUnlessTheCallerWritesIt() {
        assertThat(request(SILENT, CommandOptions.none()).has(ExecRequest.Option.STDIN))
                .isFalse();
        CommandOptions writing = new CommandOptions(Map.of(), Optional.empty(), Optional.empty(), true);
        assertThat(request(SILENT, writing).has(ExecRequest.Option.STDIN)).isTrue();
    }

    @Test
    void optionsRefuseWhatCannotBeAVariableOrADirectory() {
        for (String name : List.of("", "a=b", "a\0")) {
            assertThatThrownBy(() -> new CommandOptions(Map.of(name, "v"), Optional.empty(), Optional.empty(), false))
                    .isInstanceOf(SandboxException.InvalidSpecification.class)
                    .hasMessageNotContaining("\0");
        }
        assertThatThrownBy(() -> new CommandOptions(Map.of("a", "\0"), Optional.empty(), Optional.empty(), false))
                .isInstanceOf(SandboxException.InvalidSpecification.class);
        for (String directory : List.of("", "relative", "/a\0")) {
            assertThatThrownBy(() -> new CommandOptions(Map.of(), Optional.of(directory), Optional.empty(), false))
                    .isInstanceOf(SandboxException.InvalidSpecification.class)
                    .hasMessageNotContaining("\0");
        }
    }

    private static List<String> main(List<String> entrypoint, List<String> cmd, String... given) {
        ImageConfig image = config(entrypoint, cmd, List.of(), "", "");
        return CommandLine.mainRequest("bare", new MainCommand(List.of(given), CommandOptions.none()), image)
                .arguments();
    }

    private static ExecRequest request(ImageConfig image, CommandOptions options) {
        return CommandLine.request(List.of("true"), image, options, false);
    }

    private static ImageConfig config(
            List<String> entrypoint, List<String> cmd, List<String> env, String user, String directory) {
        return new ImageConfig(env, cmd, entrypoint, user, directory, Map.of(), "", Platform.host());
    }
}
