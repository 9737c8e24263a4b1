package dev.cloche.cli.option;

import dev.cloche.base.BinarySize;
import java.util.OptionalLong;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 20}, {@code 20g} and {@code 1t} as GiB, of which a machine's disk has a whole number. */
public final class DiskSize implements ITypeConverter<Integer> {
    private static final long GIB = 1L << 30;

    @Override
    public Integer convert(String text) {
        boolean bare = !text.isEmpty() && text.chars().allMatch(Character::isDigit);
        OptionalLong bytes = BinarySize.parse(bare ? text + "g" : text);
        if (bytes.isEmpty()) {
            throw new TypeConversionException("\"" + text + "\" is no size: write for example 20g or 1t");
        }
        if (bytes.getAsLong() % GIB != 0) {
            throw new TypeConversionException(
                    "\"" + text + "\" is no whole number of GiB, as a machine's disk has: write for example 20g or 1t");
        }
        return (int) Math.min(bytes.getAsLong() / GIB, Integer.MAX_VALUE);
    }
}
