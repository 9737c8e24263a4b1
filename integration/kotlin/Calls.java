import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Writes a program in Kotlin that calls every public method of every public type of our jars on the class path, and has the
 * compiler tell which type it takes the result and, where there is no overload, the parameters for: java -cp CLASS_PATH Calls.java
 * FILE. What the program calls, it does not call when it runs.
 */
final class Calls {
    private static final Map<Class<?>, String> KOTLIN = Map.ofEntries(
            Map.entry(boolean.class, "kotlin.Boolean"),
            Map.entry(byte.class, "kotlin.Byte"),
            Map.entry(char.class, "kotlin.Char"),
            Map.entry(short.class, "kotlin.Short"),
            Map.entry(int.class, "kotlin.Int"),
            Map.entry(long.class, "kotlin.Long"),
            Map.entry(float.class, "kotlin.Float"),
            Map.entry(double.class, "kotlin.Double"),
            Map.entry(Boolean.class, "kotlin.Boolean"),
            Map.entry(Byte.class, "kotlin.Byte"),
            Map.entry(Character.class, "kotlin.Char"),
            Map.entry(Short.class, "kotlin.Short"),
            Map.entry(Integer.class, "kotlin.Int"),
            Map.entry(Long.class, "kotlin.Long"),
            Map.entry(Float.class, "kotlin.Float"),
            Map.entry(Double.class, "kotlin.Double"),
            Map.entry(Object.class, "kotlin.Any"),
            Map.entry(String.class, "kotlin.String"),
            Map.entry(CharSequence.class, "kotlin.CharSequence"),
            Map.entry(Throwable.class, "kotlin.Throwable"),
            Map.entry(Comparable.class, "kotlin.Comparable"),
            Map.entry(Enum.class, "kotlin.Enum"),
            Map.entry(Iterable.class, "kotlin.collections.Iterable"),
            Map.entry(java.util.Collection.class, "kotlin.collections.Collection"),
            Map.entry(List.class, "kotlin.collections.List"),
            Map.entry(Set.class, "kotlin.collections.Set"),
            Map.entry(Map.class, "kotlin.collections.Map"));

    /** What any method overrides or is given by the compiler, of which Kotlin has names of its own. */
    private static final Set<String> OF_ALL = Set.of(
            "equals", "hashCode", "toString", "values", "valueOf", "getMessage", "getCause", "compareTo", "ordinal");

    private final StringBuilder code = new StringBuilder();
    private int functions;

    public static void main(String[] arguments) throws IOException {
        Calls calls = new Calls();
        for (Class<?> type : publicTypes()) {
            calls.write(type);
        }
        Files.createDirectories(Path.of(arguments[0]).getParent());
        Files.writeString(Path.of(arguments[0]), calls.program());
    }

    private static List<Class<?>> publicTypes() throws IOException {
        Path[] jars = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.contains(File.separator + "dev" + File.separator + "cloche" + File.separator))
                .map(Path::of)
                .toArray(Path[]::new);
        List<Class<?>> types = new ArrayList<>();
        for (ModuleReference module : ModuleFinder.of(jars).findAll()) {
            Set<String> packages = module.descriptor().exports().stream()
                    .filter(exported -> !exported.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .collect(Collectors.toSet());
            try (ModuleReader reader = module.open();
                    Stream<String> entries = reader.list()) {
                entries.filter(entry -> entry.endsWith(".class"))
                        .map(entry -> entry.substring(0, entry.length() - ".class".length()).replace('/', '.'))
                        .filter(name -> packages.contains(name.substring(0, Math.max(0, name.lastIndexOf('.')))))
                        .map(Calls::load)
                        .filter(Calls::isPublic)
                        .forEach(types::add);
            }
        }
        types.sort(Comparator.comparing(Class::getName));
        return types;
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, Calls.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isPublic(Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getEnclosingClass()) {
            if (!Modifier.isPublic(each.getModifiers())) {
                return false;
            }
        }
        return !type.isAnnotation() && !type.isAnonymousClass() && !type.isSynthetic();
    }

    private String program() {
        return "@file:Suppress(\"UNUSED_PARAMETER\", \"REDUNDANT_PROJECTION\", \"DEPRECATION\", \"UNUSED_EXPRESSION\")\n\n"
                + "package outside\n\n" + code + "\nfun calls() {\n"
                + IntStream.range(0, functions).mapToObj(i -> "    calls" + i + "()\n").collect(Collectors.joining())
                + "}\n";
    }

    private void write(Class<?> type) {
        Map<String, List<Method>> methods = new TreeMap<>();
        Set<String> seen = new HashSet<>();
        for (Class<?> each = type; each != null && (each == type || !isPublic(each)); each = each.getSuperclass()) {
            for (Method method : each.getDeclaredMethods()) {
                if (isCalled(method) && seen.add(method.getName() + Arrays.toString(method.getParameterTypes()))) {
                    methods.computeIfAbsent(method.getName(), _ -> new ArrayList<>()).add(method);
                }
            }
        }
        code.append("private fun calls").append(functions++).append("() {\n");
        methods.values().forEach(overloads -> {
            overloads.sort(Comparator.comparing(Method::toGenericString));
            overloads.forEach(method -> write(type, method));
        });
        for (Field field : type.getDeclaredFields()) {
            int modifiers = field.getModifiers();
            if (Modifier.isPublic(modifiers) && Modifier.isStatic(modifiers) && !field.isEnumConstant()) {
                line(type, field.getName(), name(type) + ".`" + field.getName() + "`");
            }
        }
        code.append("}\n\n");
    }

    private static boolean isCalled(Method method) {
        return Modifier.isPublic(method.getModifiers())
                && !method.isBridge()
                && !method.isSynthetic()
                && !OF_ALL.contains(method.getName());
    }

    private static boolean isOverloaded(Class<?> type, Method method) {
        return Stream.of(type.getMethods(), method.getDeclaringClass().getDeclaredMethods())
                        .flatMap(Stream::of)
                        .filter(other -> other.getName().equals(method.getName()) && !other.isBridge())
                        .map(other -> Arrays.toString(other.getParameterTypes()))
                        .distinct()
                        .count()
                > 1;
    }

    private void write(Class<?> type, Method method) {
        String receiver = Modifier.isStatic(method.getModifiers()) ? name(type) : "any<" + instance(type) + ">()";
        Type[] parameters = method.getGenericParameterTypes();
        String arguments = IntStream.range(0, parameters.length)
                .mapToObj(i -> method.isVarArgs() && i == parameters.length - 1
                        ? "*any<" + elements(parameters[i]) + ">()"
                        : "any<" + text(parameters[i]) + ">()")
                .collect(Collectors.joining(", "));
        String called = ".`" + method.getName() + "`";
        line(type, method.getName(), receiver + called + "(" + arguments + ")");
        if (!isOverloaded(type, method) && method.getTypeParameters().length == 0) {
            line(type, method.getName() + ", its parameters", receiver + "::`" + method.getName() + "`");
        }
    }

    private void line(Class<?> type, String what, String expression) {
        code.append("    of(\"").append(type.getName().replace("$", "\\$")).append('.').append(what);
        code.append("\") { ").append(expression).append(" }\n");
    }

    private static String elements(Type array) {
        String text = text(array);
        return text.startsWith("kotlin.Array<") ? text.replaceFirst("<", "<out ") : text;
    }

    private static String instance(Class<?> type) {
        TypeVariable<?>[] variables = type.getTypeParameters();
        return variables.length == 0
                ? name(type)
                : name(type)
                        + Stream.of(variables)
                                .map(each -> each.getBounds()[0] instanceof ParameterizedType ? "*" : text(each))
                                .collect(Collectors.joining(", ", "<", ">"));
    }

    private static String name(Class<?> type) {
        return KOTLIN.getOrDefault(type, type.getCanonicalName());
    }

    private static String text(Type type) {
        return switch (type) {
            case Class<?> array when array.isArray() -> array(array.getComponentType());
            case Class<?> plain when plain.getTypeParameters().length == 0 -> name(plain);
            case Class<?> raw ->
                name(raw)
                        + Stream.of(raw.getTypeParameters()).map(_ -> "*").collect(Collectors.joining(", ", "<", ">"));
            case GenericArrayType array -> array(array.getGenericComponentType());
            case ParameterizedType generic ->
                name((Class<?>) generic.getRawType())
                        + Stream.of(generic.getActualTypeArguments())
                                .map(Calls::text)
                                .collect(Collectors.joining(", ", "<", ">"));
            case WildcardType any when any.getLowerBounds().length > 0 -> "in " + text(any.getLowerBounds()[0]);
            case WildcardType any when any.getUpperBounds()[0] == Object.class -> "*";
            case WildcardType any -> "out " + text(any.getUpperBounds()[0]);
            case TypeVariable<?> variable -> bound(variable.getBounds()[0]);
            default -> throw new IllegalStateException(type.toString());
        };
    }

    /** An enum that there is for one that is bounded by itself, and for any other such type the type without its argument. */
    private static String bound(Type bound) {
        return switch (bound) {
            case ParameterizedType generic when generic.getRawType() == Enum.class -> "java.time.DayOfWeek";
            case ParameterizedType generic -> text(generic.getRawType());
            default -> text(bound);
        };
    }

    private static String array(Type element) {
        return element instanceof Class<?> primitive && primitive.isPrimitive()
                ? name(primitive) + "Array"
                : "kotlin.Array<" + text(element) + ">";
    }
}
