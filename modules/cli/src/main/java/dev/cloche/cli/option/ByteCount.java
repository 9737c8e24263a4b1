package dev.cloche.cli.option;

import dev.cloche.base.BinarySize;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads what {@link BinarySize} does, as bytes. */
public final class ByteCount implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
        return BinarySize.parse(text)
                .orElseThrow(() ->
                        new TypeConversionException("\"" + text + "\" is no size: write for example 500m or 20g"));
    }
}
