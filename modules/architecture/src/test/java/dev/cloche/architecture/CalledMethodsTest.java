package dev.cloche.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds that every method of the rooms is called by one of them, be it by an interface. A method that only tests call is removed,
 * or moves to their sources. {@link ReachabilityTest} holds the same for types.
 *
 * <p>A search along calls begins at what users of the library call, at constructors, and at what a framework or the JDK calls.
 */
class CalledMethodsTest {
    /** The room of processes is used without the library too, with a store of the application. */
    private static final String PROCESSES = "dev.cloche.process";

    private static final Map<JavaClass, Set<JavaClass>> RELATED = new HashMap<>();

    @Test
    void everyMethodIsCalledOutsideOfTests() {
        Set<String> without = new TreeSet<>();
        for (JavaMethod method : uncalled()) {
            without.add(nameOf(method));
        }
        assertThat(without)
                .as("remove it, let the library or the command line use it, or move it to the sources of tests")
                .isEmpty();
    }

    /** Returns the methods that the search does not come to. */
    private static Set<JavaMethod> uncalled() {
        Map<String, Set<JavaMethod>> byName = new HashMap<>();
        Set<JavaMethod> uncalled = new HashSet<>();
        Rooms.CLASSES.stream().flatMap(type -> type.getMethods().stream()).forEach(method -> {
            byName.computeIfAbsent(
                            nameAndSize(method.getName(), method.getRawParameterTypes()), name -> new HashSet<>())
                    .add(method);
            uncalled.add(method);
        });
        Deque<JavaCodeUnit> open = new ArrayDeque<>();
        Rooms.CLASSES.stream().flatMap(type -> type.getCodeUnits().stream()).forEach(unit -> {
            if (!(unit instanceof JavaMethod method) || isExempt(method)) {
                uncalled.remove(unit);
                open.add(unit);
            }
        });
        while (!open.isEmpty()) {
            JavaCodeUnit caller = open.remove();
            calls(caller).forEach(call -> {
                CodeUnitAccessTarget target = call.getTarget();
                for (JavaMethod method :
                        byName.getOrDefault(nameAndSize(target.getName(), target.getRawParameterTypes()), Set.of())) {
                    if (areRelated(method.getOwner(), target.getOwner()) && uncalled.remove(method)) {
                        open.add(method);
                    }
                }
            });
        }
        return uncalled;
    }

    private static Stream<? extends JavaCodeUnitAccess<?>> calls(JavaCodeUnit caller) {
        return Stream.<Set<? extends JavaCodeUnitAccess<?>>>of(
                        caller.getMethodCallsFromSelf(), caller.getMethodReferencesFromSelf())
                .flatMap(Set::stream);
    }

    /** Returns whether the method is called by other means than a call in our code, or is for users to call. */
    private static boolean isExempt(JavaMethod method) {
        JavaClass owner = method.getOwner();
        return isForUsers(method)
                || isMadeByTheCompiler(method)
                || isAccessor(method)
                || isCalledByAFramework(method)
                || owner.isAnnotation()
                || method.getName().equals("main")
                || supertypes(owner).anyMatch(type -> !isOurs(type) && mayDeclare(type, method));
    }

    private static boolean isForUsers(JavaMethod method) {
        boolean visible = method.getModifiers().contains(JavaModifier.PUBLIC)
                || method.getModifiers().contains(JavaModifier.PROTECTED);
        return visible
                && Stream.concat(Stream.of(method.getOwner()), supertypes(method.getOwner()))
                        .anyMatch(CalledMethodsTest::isOfUsers);
    }

    private static boolean isOfUsers(JavaClass type) {
        return PublicApiTest.LIBRARY.contains(type)
                || ReachabilityTest.isDoor(type)
                || (type.getPackageName().equals(PROCESSES)
                        && type.getModifiers().contains(JavaModifier.PUBLIC));
    }

    private static boolean isMadeByTheCompiler(JavaMethod method) {
        return method.getModifiers().contains(JavaModifier.SYNTHETIC)
                || method.getModifiers().contains(JavaModifier.BRIDGE)
                || (method.getOwner().isEnum() && Set.of("values", "valueOf").contains(method.getName()));
    }

    /** Frameworks find methods by annotations: picocli, Spring, the tools of agents. */
    private static boolean isCalledByAFramework(JavaMethod method) {
        return method.getAnnotations().stream()
                .map(annotation -> annotation.getRawType().getPackageName())
                .anyMatch(name -> !name.startsWith("java.lang") && !name.startsWith("org.jspecify"));
    }

    /** A record has an accessor for each component, and an error says in fields what it says in its message. */
    private static boolean isAccessor(JavaMethod method) {
        JavaClass owner = method.getOwner();
        return method.getRawParameterTypes().isEmpty()
                && ((owner.isRecord() && owner.tryGetField(method.getName()).isPresent())
                        || owner.isAssignableTo(Throwable.class));
    }

    /** Of a type that is not on the class path here, no method is known. */
    private static boolean mayDeclare(JavaClass type, JavaMethod method) {
        return !type.isFullyImported()
                || type.getMethods().stream()
                        .anyMatch(other -> other.getName().equals(method.getName())
                                && other.getRawParameterTypes().size()
                                        == method.getRawParameterTypes().size());
    }

    private static boolean isOurs(JavaClass type) {
        return type.getPackageName().equals(Rooms.ROOT) || type.getPackageName().startsWith(Rooms.ROOT + ".");
    }

    /** Returns whether a call of one may be answered by the other: one is a supertype of the other. */
    private static boolean areRelated(JavaClass one, JavaClass other) {
        return one.equals(other)
                || supertypesOf(one).contains(other)
                || supertypesOf(other).contains(one);
    }

    private static Set<JavaClass> supertypesOf(JavaClass type) {
        return RELATED.computeIfAbsent(type, key -> supertypes(key).collect(Collectors.toSet()));
    }

    private static Stream<JavaClass> supertypes(JavaClass type) {
        return Stream.concat(type.getAllRawSuperclasses().stream(), type.getAllRawInterfaces().stream());
    }

    /** Generic methods are called by their erasure, so that the number of parameters stands for their types. */
    private static String nameAndSize(String name, List<JavaClass> parameters) {
        return name + "/" + parameters.size();
    }

    private static String nameOf(JavaMethod method) {
        String parameters = method.getRawParameterTypes().stream()
                .map(JavaClass::getSimpleName)
                .collect(Collectors.joining(", ", "(", ")"));
        return method.getOwner().getName() + "." + method.getName() + parameters;
    }
}
