package dev.cloche.dist;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;

/**
 * Copies a jar; one that holds classes older than Java 6 gets them re-emitted with the class version of Java 25.
 *
 * <p>The JVM archives no class below version 50, because only from there on classes carry stack maps. picocli is
 * compiled for Java 5 (version 49), and parsing a command without it in the archive costs as much again as the whole
 * start.
 */
final class ModernClasses {
    private static final int ARCHIVABLE = ClassFile.JAVA_6_VERSION;
    private static final ClassFileVersion MODERN = ClassFileVersion.of(ClassFile.JAVA_25_VERSION, 0);

    private ModernClasses() {}

    /** Copies {@code source} to {@code target}: byte for byte if all of its classes are recent enough. */
    static void copy(Path source, Path target) throws IOException {
        try (JarFile jar = new JarFile(source.toFile())) {
            if (hasOldClasses(jar)) {
                rewrite(jar, target);
            } else {
                Files.copy(source, target);
            }
        }
    }

    private static boolean hasOldClasses(JarFile jar) throws IOException {
        for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
            JarEntry entry = entries.nextElement();
            if (isClass(entry) && isOld(read(jar, entry))) {
                return true;
            }
        }
        return false;
    }

    private static void rewrite(JarFile jar, Path target) throws IOException {
        ClassFile classFile = ClassFile.of(
                StackMapsOption.STACK_MAPS_WHEN_REQUIRED,
                ClassFile.ClassHierarchyResolverOption.of(
                        ClassHierarchyResolver.ofResourceParsing((ClassDesc type) -> resource(jar, type))
                                .orElse(ClassHierarchyResolver.defaultResolver())));
        try (OutputStream file = Files.newOutputStream(target);
                JarOutputStream out = new JarOutputStream(file)) {
            for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
                JarEntry entry = entries.nextElement();
                byte[] bytes = read(jar, entry);
                JarEntry copy = new JarEntry(entry.getName());
                copy.setTimeLocal(entry.getTimeLocal());
                out.putNextEntry(copy);
                out.write(isClass(entry) && isOld(bytes) ? modern(classFile, bytes, entry.getName()) : bytes);
                out.closeEntry();
            }
        }
    }

    private static byte[] modern(ClassFile classFile, byte[] bytes, String name) throws IOException {
        ClassModel model = classFile.parse(bytes);
        // Passing the bodies through a transformation, even an empty one, is what makes the stack maps be written.
        ClassTransform bodies = ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL);
        byte[] modern = classFile.transformClass(
                model,
                bodies.andThen(ClassTransform.endHandler(
                        builder -> builder.withVersion(MODERN.majorVersion(), MODERN.minorVersion()))));
        var errors = classFile.verify(modern);
        if (!errors.isEmpty()) {
            throw new IOException(name + " cannot be re-emitted", errors.getFirst());
        }
        return modern;
    }

    private static InputStream resource(JarFile jar, ClassDesc type) {
        String descriptor = type.descriptorString();
        JarEntry entry = jar.getJarEntry(descriptor.substring(1, descriptor.length() - 1) + ".class");
        try {
            return entry == null ? null : new ByteArrayInputStream(read(jar, entry));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isClass(JarEntry entry) {
        return entry.getName().endsWith(".class") && !entry.getName().endsWith("module-info.class");
    }

    private static boolean isOld(byte[] classFile) {
        return ((classFile[6] & 0xff) << 8 | classFile[7] & 0xff) < ARCHIVABLE;
    }

    private static byte[] read(JarFile jar, JarEntry entry) throws IOException {
        try (InputStream in = jar.getInputStream(entry)) {
            return in.readAllBytes();
        }
    }
}
