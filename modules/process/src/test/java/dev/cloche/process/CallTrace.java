package dev.cloche.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what strace recorded of a program into the events of one directory. A call there that this reader does not
 * understand is an error: a trace with a hole would prove nothing.
 */
final class CallTrace {
    /** Every call that can change a file or a name. */
    static final String CALLS = "open,openat,openat2,creat,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,"
            + "truncate,ftruncate,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mmap,msync,fallocate,"
            + "sync_file_range,sendfile,copy_file_range,splice,mkdir,mkdirat";

    private static final Pattern CALL = Pattern.compile("^(\\d+) +([a-z0-9_]+)\\((.*)$");
    private static final Pattern RESUMED = Pattern.compile("^(\\d+) +<\\.\\.\\. ([a-z0-9_]+) resumed>(.*)$");
    private static final String UNFINISHED = " <unfinished ...>";

    private final String directory;
    private final String acknowledgements;
    private final Set<String> known = new HashSet<>();
    private final TreeMap<Integer, List<DiskEvent>> byLine = new TreeMap<>();
    private int calls;

    private CallTrace(Path directory, Path acknowledgements) {
        this.directory = directory.toString();
        this.acknowledgements = acknowledgements.toString();
    }

    /**
     * The events below {@code directory}, which was empty when the program began.
     *
     * @param acknowledgements the file whose every write is one line of acknowledgements; it lies elsewhere
     */
    static List<DiskEvent> read(Path trace, Path directory, Path acknowledgements) throws IOException {
        CallTrace reader = new CallTrace(directory, acknowledgements);
        for (TracedCall call : calls(trace)) {
            if (call.effective()) {
                reader.understand(call);
            }
        }
        return reader.byLine.values().stream().flatMap(List::stream).toList();
    }

    /** In the order of their returns: only then it is known what came of them. */
    private static List<TracedCall> calls(Path trace) throws IOException {
        List<TracedCall> calls = new ArrayList<>();
        Map<String, TracedCall> unfinished = new HashMap<>();
        try (BufferedReader lines = Files.newBufferedReader(trace, StandardCharsets.ISO_8859_1)) {
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                Matcher resumed = RESUMED.matcher(line);
                Matcher call = CALL.matcher(line);
                if (resumed.matches()) {
                    TracedCall begun = unfinished.remove(resumed.group(1));
                    if (begun == null || !begun.name().equals(resumed.group(2))) {
                        throw new IllegalStateException("a call returns that was not entered, line " + number);
                    }
                    calls.add(returned(begun.name(), begun.arguments() + resumed.group(3), begun.begun(), number));
                } else if (call.matches() && line.endsWith(UNFINISHED)) {
                    String rest = call.group(3);
                    String arguments = rest.substring(0, rest.length() - UNFINISHED.length());
                    unfinished.put(call.group(1), new TracedCall(call.group(2), arguments, "?", number, number));
                } else if (call.matches()) {
                    calls.add(returned(call.group(2), call.group(3), number, number));
                }
            }
        }
        return calls;
    }

    private static TracedCall returned(String name, String rest, int begun, int ended) {
        int equals = rest.lastIndexOf(" = ");
        String arguments = rest.substring(0, rest.lastIndexOf(')', equals));
        return new TracedCall(name, arguments, rest.substring(equals + 3), begun, ended);
    }

    private void understand(TracedCall call) {
        switch (call.name()) {
            case "write" -> {
                if (call.descriptorPath().filter(acknowledgements::equals).isPresent()) {
                    String text = new String(call.string(0), StandardCharsets.UTF_8);
                    text.lines().forEach(line -> add(call.begun(), new DiskEvent.Acknowledged(line)));
                } else {
                    inside(call).ifPresent(file -> refuse(call, file));
                }
            }
            case "pwrite64" ->
                inside(call).ifPresent(file -> {
                    byte[] all = call.string(0);
                    if (Long.parseLong(call.outcome()) != all.length) {
                        refuse(call, file);
                    }
                    change(call, new DiskEvent.Write(file, call.number(0), all));
                });
            case "ftruncate" ->
                inside(call).ifPresent(file -> change(call, new DiskEvent.Truncate(file, call.number(0))));
            case "fsync", "fdatasync" ->
                inside(call).ifPresent(file -> {
                    boolean isFile = known.contains(file);
                    change(call, isFile ? new DiskEvent.SyncFile(file) : new DiskEvent.SyncDirectory(file));
                });
            case "open", "openat" -> call.returnedPath().flatMap(this::relative).ifPresent(file -> opened(call, file));
            case "rename" ->
                twoNames(call).ifPresent(names -> {
                    known.add(names.get(1));
                    known.remove(names.get(0));
                    change(call, new DiskEvent.Rename(names.get(0), names.get(1)));
                });
            case "link" ->
                twoNames(call).ifPresent(names -> {
                    known.add(names.get(1));
                    change(call, new DiskEvent.Link(names.get(0), names.get(1)));
                });
            case "unlink" ->
                named(call.string(0)).ifPresent(name -> {
                    known.remove(name);
                    change(call, new DiskEvent.Unlink(name));
                });
            case "mmap" -> mapped(call);
            case "unlinkat", "mkdir", "mkdirat", "truncate" -> refuseIfInside(call);
            default -> inside(call).ifPresent(file -> refuse(call, file));
        }
    }

    private void opened(TracedCall call, String file) {
        if (call.arguments().contains("O_TRUNC") && known.contains(file)) {
            change(call, new DiskEvent.Truncate(file, 0));
        }
        if (call.arguments().contains("O_CREAT") && known.add(file)) {
            // Not before its return: until then the name may have been another's.
            int number = ++calls;
            add(call.ended(), new DiskEvent.Begun(number, new DiskEvent.Create(file)));
            add(call.ended(), new DiskEvent.Ended(number));
        }
    }

    /** Only the index of SQLite's log may be written by way of memory: it is made anew by the first to open it. */
    private void mapped(TracedCall call) {
        List<String> parts = call.parts();
        boolean shared = parts.get(3).contains("MAP_SHARED") && parts.get(2).contains("PROT_WRITE");
        new TracedCall(call.name(), parts.get(4), call.outcome(), call.begun(), call.ended())
                .descriptorPath()
                .flatMap(this::relative)
                .filter(file -> shared && !TracedDisk.isIndex(file))
                .ifPresent(file -> refuse(call, file));
    }

    private void refuseIfInside(TracedCall call) {
        named(call.string(0)).ifPresent(file -> refuse(call, file));
    }

    private static void refuse(TracedCall call, String file) {
        throw new IllegalStateException("what " + call.name() + " does to " + file + " is not modelled");
    }

    private Optional<List<String>> twoNames(TracedCall call) {
        Optional<String> from = named(call.string(0));
        Optional<String> to = named(call.string(1));
        if (from.isPresent() != to.isPresent()) {
            refuse(call, from.or(() -> to).orElseThrow());
        }
        return from.map(first -> List.of(first, to.orElseThrow()));
    }

    private Optional<String> inside(TracedCall call) {
        return call.descriptorPath().flatMap(this::relative);
    }

    private Optional<String> named(byte[] path) {
        return relative(new String(path, StandardCharsets.UTF_8));
    }

    private Optional<String> relative(String path) {
        // What is in it says that something happened, and nothing about what; it is remade when it is missing.
        if (path.equals(directory + "/doorbell") || path.startsWith(directory + "/doorbell/")) {
            return Optional.empty();
        }
        if (path.equals(directory)) {
            return Optional.of("");
        }
        return path.startsWith(directory + "/")
                ? Optional.of(path.substring(directory.length() + 1))
                : Optional.empty();
    }

    private void change(TracedCall call, DiskEvent.Change change) {
        int number = ++calls;
        add(call.begun(), new DiskEvent.Begun(number, change));
        add(call.ended(), new DiskEvent.Ended(number));
    }

    private void add(int line, DiskEvent event) {
        byLine.computeIfAbsent(line, _ -> new ArrayList<>()).add(event);
    }
}
