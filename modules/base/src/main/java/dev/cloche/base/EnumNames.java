package dev.cloche.base;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Names constants for people and for formats: {@code DISK_FULL} is {@code disk-full}. */
public final class EnumNames {
    private EnumNames() {}

    /** Returns the name of a constant in lower case, with hyphens. */
    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Finds the constant that {@link #of} names so; empty if there is none. */
    public static <E extends Enum<E>> Optional<E> find(Class<E> type, String name) {
        return Stream.of(type.getEnumConstants())
                .filter(constant -> of(constant).equals(name))
                .findFirst();
    }
}
