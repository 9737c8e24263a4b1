package dev.cloche.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.ExecResult;
import dev.cloche.base.ClocheException;
import dev.cloche.interpreter.CellResult;
import dev.cloche.interpreter.MimeBundle;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileKind;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Puts into words for a model what came of its call. Stateless. */
final class ModelText {
    private static final int SIGKILL = 9;

    private ModelText() {}

    /** Returns both outputs, cut where they are long, and why the command ended where that is worth a word. */
    static String of(ExecResult result, ToolSettings settings) {
        String stdout = cut(result.stdoutText(), settings.shownCharacters());
        String stderr = cut(result.stderrText(), settings.shownCharacters());
        StringBuilder text = new StringBuilder(stdout);
        if (!stderr.isEmpty()) {
            beginLine(text).append("[Standard error:]\n").append(stderr);
        }
        boolean silent = text.isEmpty();
        ending(result, settings)
                .or(() -> silent ? Optional.of("It ended with exit code 0") : Optional.empty())
                .ifPresent(sentence -> beginLine(text)
                        .append('[')
                        .append(sentence)
                        .append(silent ? " and wrote nothing.]" : ". What it wrote is above.]"));
        return text.toString();
    }

    /** Returns what a cell wrote and showed, its value, its error, and what is to be known besides. */
    static String of(CellResult result, ToolSettings settings) {
        StringBuilder text = new StringBuilder(cut(result.stdout(), settings.shownCharacters()));
        if (!result.stderr().isEmpty()) {
            beginLine(text).append("[Standard error:]\n").append(cut(result.stderr(), settings.shownCharacters()));
        }
        StringBuilder values = new StringBuilder();
        Stream.concat(result.displays().stream(), result.value().stream())
                .forEach(value -> beginLine(values).append(value.text()).append(pictures(value)));
        beginLine(text).append(cut(values.toString(), settings.shownCharacters()));
        result.error()
                .ifPresent(error ->
                        beginLine(text).append("[Error:]\n").append(cut(error.text(), settings.shownCharacters())));
        String notice = result.notice();
        if (!notice.isEmpty()) {
            beginLine(text).append('[').append(notice).append(']');
        }
        return text.isEmpty() ? "[It ended well and has no value.]" : text.toString();
    }

    /** A model that reads text is told that there is a picture. */
    private static String pictures(MimeBundle value) {
        return value.types().stream()
                .filter(type -> type.startsWith("image/"))
                .map(type -> " [a picture, " + type + "]")
                .collect(Collectors.joining());
    }

    private static Optional<String> ending(ExecResult result, ToolSettings settings) {
        if (result.timedOut()) {
            return Optional.of("It was killed because it took longer than " + seconds(settings.timeout()));
        }
        if (result.truncated()) {
            return Optional.of(
                    "It was killed because it wrote more than " + settings.outputLimit() + " bytes to one output");
        }
        return switch (result.exit()) {
            case ExitStatus.Exited(int code) ->
                code == 0 ? Optional.empty() : Optional.of("It ended with exit code " + code);
            case ExitStatus.Signalled(int signal) ->
                Optional.of("Signal " + signal + " ended it"
                        + (signal == SIGKILL ? ", as it does when the memory of the sandbox is used up" : ""));
        };
    }

    private static String seconds(Duration time) {
        return (time.toMillisPart() == 0 ? "" + time.toSeconds() : "" + time.toMillis() / 1000.0) + " s";
    }

    private static StringBuilder beginLine(StringBuilder text) {
        return text.isEmpty() || text.charAt(text.length() - 1) == '\n' ? text : text.append('\n');
    }

    /** Keeps the beginning and the end, where errors stand. */
    private static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int head = boundary(text, most / 2);
        int tail = boundary(text, text.length() - (most - most / 2));
        return text.substring(0, head) + "\n[" + (tail - head)
                + " characters are left out here. Write long output to a file and look at parts of it.]\n"
                + text.substring(tail);
    }

    /** Cuts no character in two. */
    private static int boundary(String text, int index) {
        return Character.isLowSurrogate(text.charAt(index)) ? index + 1 : index;
    }

    /** @param more whether the file goes on behind these bytes */
    static String ofFile(String file, byte[] beginning, boolean more, ToolSettings settings) {
        CharBuffer decoded = CharBuffer.allocate(beginning.length);
        CharsetDecoder decoder = UTF_8.newDecoder();
        CoderResult result = decoder.decode(ByteBuffer.wrap(beginning), decoded, !more);
        String text = decoded.flip().toString();
        if (result.isError() || text.indexOf('\0') >= 0) {
            return file + " is no text in UTF-8. Look at it by a command or a program.";
        }
        int most = settings.shownCharacters();
        if (!more && text.length() <= most) {
            return text.isEmpty() ? "[" + file + " is empty.]" : text;
        }
        String shown = text.substring(0, text.length() <= most ? text.length() : boundary(text, most));
        return beginLine(new StringBuilder(shown))
                .append("[The file is longer: these are its first ")
                .append(shown.length())
                .append(" characters, ")
                .append(shown.getBytes(UTF_8).length)
                .append(" bytes. Look at other parts of it by a command or a program.]")
                .toString();
    }

    static String ofList(String directory, List<FileInfo> files, ToolSettings settings) {
        if (files.isEmpty()) {
            return "[" + directory + " is empty.]";
        }
        StringBuilder text = new StringBuilder();
        int listed = 0;
        for (FileInfo file :
                files.stream().sorted(Comparator.comparing(FileInfo::name)).toList()) {
            String line = line(file);
            if (text.length() + line.length() > settings.shownCharacters()) {
                return text.append("[" + (files.size() - listed) + " of " + files.size()
                                + " files are left out here. List them by a command.]")
                        .toString();
            }
            text.append(line);
            listed++;
        }
        return text.toString();
    }

    private static String line(FileInfo file) {
        String what = switch (file.kind()) {
            case FILE -> ", " + file.size() + " bytes";
            case DIRECTORY -> "/";
            case SYMBOLIC_LINK -> " -> " + file.linkTarget().orElse("");
            case FIFO, CHARACTER_DEVICE, BLOCK_DEVICE, SOCKET -> ", " + kind(file.kind());
        };
        return file.name() + what + "\n";
    }

    private static String kind(FileKind kind) {
        return switch (kind) {
            case FIFO -> "a pipe";
            case SOCKET -> "a socket";
            default -> "a device";
        };
    }

    /** Returns what went wrong; the remedy is for the application, whose calls it names. */
    static String of(ClocheException failure) {
        String sentence = failure.sentence();
        String ended = sentence.endsWith(".") ? sentence : sentence + ".";
        return failure.code().startsWith("sandbox.ended.") ? ended + " Nothing more can be run in it." : ended;
    }
}
