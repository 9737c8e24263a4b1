package dev.cloche.cli.option;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code NAME=VALUE}; a value may be empty, a name may not. */
public record KeyValue(String name, String value) {
    public static final class Converter implements ITypeConverter<KeyValue> {
        @Override
        public KeyValue convert(String text) {
            int equals = text.indexOf('=');
            if (equals < 1) {
                throw new TypeConversionException("\"" + text + "\" is not NAME=VALUE");
            }
            return new KeyValue(text.substring(0, equals), text.substring(equals + 1));
        }
    }
}
