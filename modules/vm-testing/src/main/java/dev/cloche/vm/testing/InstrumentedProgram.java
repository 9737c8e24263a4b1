package dev.cloche.vm.testing;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * This program as it is on the class path, but that each of its calls that touches a database, a file, a lock, a socket or a
 * process first tells {@link KillSteps}, and tells it again when it returns. What is told is found in the byte code, so
 * there is no list to maintain, and calls that are added later are killed at too.
 */
public final class InstrumentedProgram {
    private static final ClassDesc STEPS = ClassDesc.of("dev.cloche.vm.testing.KillSteps");
    private static final MethodTypeDesc REACHED = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String);

    /** What reaches beyond this process, by the classes of the platform and of the room {@code linux}. */
    private static final Set<String> EFFECTS = Set.of(
            "java/nio/file/Files",
            "java/nio/channels/FileChannel",
            "java/nio/channels/SocketChannel",
            "java/nio/channels/ServerSocketChannel",
            "java/io/RandomAccessFile",
            "java/sql/Statement",
            "java/sql/PreparedStatement",
            "java/lang/ProcessBuilder",
            "java/lang/Process",
            "dev/cloche/linux/Libc",
            "dev/cloche/linux/FileCalls");

    /**
     * Methods of these that only look, only prepare, or only do what a death does too: a death beside them is a death beside the
     * next one that acts.
     */
    private static final List<String> HARMLESS = List.of(
            "is",
            "exists",
            "notExists",
            "read",
            "get",
            "size",
            "list",
            "newDirectoryStream",
            "newInputStream",
            "walk",
            "position",
            "probe",
            "set",
            "clear",
            "poll",
            "ioctl",
            "close",
            "statx",
            "pread",
            "lseek",
            "environment",
            "command",
            "directory",
            "redirect",
            "toHandle",
            "pid",
            "onExit",
            "waitFor",
            "inputReader",
            "exitValue",
            "map");

    private final Map<String, byte[]> classes = new TreeMap<>();
    private final Set<String> woven = new LinkedHashSet<>();
    private final List<Path> libraries = new ArrayList<>();
    private final ClassFile classFile = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(
            ClassHierarchyResolver.ofResourceParsing(InstrumentedProgram.class.getClassLoader())
                    .orElse(ClassHierarchyResolver.defaultResolver())));

    private final List<String> standIns;

    private InstrumentedProgram(List<String> standIns) {
        this.standIns = standIns;
    }

    /**
     * Writes the program as a jar.
     *
     * @param standIns classes of tests that stand for the product's, as {@code dev/cloche/room/Name}, nested ones included
     * @return a class path of jars alone, as the JVM's archives of loaded classes need it
     */
    public static String write(Path jar, List<String> standIns) throws IOException {
        InstrumentedProgram program = new InstrumentedProgram(standIns);
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(entry);
            if (Files.isDirectory(path)) {
                program.addDirectory(path);
            } else if (path.getFileName().toString().startsWith("cloche-")) {
                program.addJar(path, !path.getFileName().toString().endsWith("-tests.jar"));
            } else if (Files.exists(path)) {
                program.libraries.add(path);
            }
        }
        program.writeTo(jar);
        return Stream.concat(Stream.of(jar), program.libraries.stream())
                .map(Path::toString)
                .reduce((a, b) -> a + File.pathSeparator + b)
                .orElseThrow();
    }

    private void addDirectory(Path directory) throws IOException {
        boolean product = !directory.endsWith("test-classes");
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                add(directory.relativize(file).toString(), Files.readAllBytes(file), product);
            }
        }
    }

    private void addJar(Path jar, boolean product) throws IOException {
        try (InputStream file = Files.newInputStream(jar);
                JarInputStream in = new JarInputStream(file)) {
            for (JarEntry entry = in.getNextJarEntry(); entry != null; entry = in.getNextJarEntry()) {
                if (!entry.isDirectory()) {
                    add(entry.getName(), in.readAllBytes(), product);
                }
            }
        }
    }

    private void add(String name, byte[] bytes, boolean product) {
        boolean weave = (product || standIns.stream().anyMatch(name::startsWith))
                && name.endsWith(".class")
                && !name.endsWith("package-info.class");
        classes.putIfAbsent(name, weave ? weave(bytes) : bytes);
    }

    private byte[] weave(byte[] original) {
        return classFile.transformClass(
                classFile.parse(original), ClassTransform.transformingMethodBodies((builder, element) -> {
                    if (element instanceof InvokeInstruction call && acts(call)) {
                        String site = call.owner().asInternalName().replaceAll(".*/", "") + "."
                                + call.name().stringValue();
                        woven.add(site);
                        tell(builder, "before " + site);
                        builder.with(element);
                        tell(builder, "after " + site);
                    } else {
                        builder.with(element);
                    }
                }));
    }

    private static boolean acts(InvokeInstruction call) {
        String name = call.name().stringValue();
        return EFFECTS.contains(call.owner().asInternalName())
                && !name.startsWith("<")
                && HARMLESS.stream().noneMatch(name::startsWith);
    }

    /** Takes nothing from the stack and leaves nothing on it, so no frame of the method changes. */
    private static void tell(CodeBuilder builder, String what) {
        builder.ldc(what).invokestatic(STEPS, "reached", REACHED);
    }

    private void writeTo(Path jar) throws IOException {
        if (woven.isEmpty()) {
            throw new IllegalStateException("nothing was found to be told");
        }
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file)) {
            for (Map.Entry<String, byte[]> entry : classes.entrySet()) {
                out.putNextEntry(new JarEntry(entry.getKey()));
                try (InputStream bytes = new ByteArrayInputStream(entry.getValue())) {
                    bytes.transferTo(out);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                out.closeEntry();
            }
        }
    }
}
