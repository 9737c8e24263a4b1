package dev.cloche.cli.option;

import dev.cloche.base.EnumNames;
import dev.cloche.vm.ResourceLimit;
import dev.cloche.vm.ResourceLimit.Resource;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A limit as Docker writes it: {@code NAME=SOFT[:HARD]}; without a hard one, both are the same. {@code -1} and {@code
 * unlimited} are no limit.
 */
public record Ulimit(Resource resource, long soft, long hard) {
    public static final class Converter implements ITypeConverter<Ulimit> {
        @Override
        public Ulimit convert(String text) {
            int equals = text.indexOf('=');
            if (equals < 0) {
                throw new TypeConversionException("'" + text + "' is no limit; write NAME=SOFT[:HARD]");
            }
            String values = text.substring(equals + 1);
            int colon = values.indexOf(':');
            long soft = number(text, colon < 0 ? values : values.substring(0, colon));
            long hard = colon < 0 ? soft : number(text, values.substring(colon + 1));
            if (Long.compareUnsigned(soft, hard) > 0) {
                throw new TypeConversionException("'" + text + "' has a soft limit above its hard limit");
            }
            return new Ulimit(resource(text.substring(0, equals)), soft, hard);
        }

        private static Resource resource(String name) {
            for (Resource known : Resource.values()) {
                if (EnumNames.of(known).equals(name)) {
                    return known;
                }
            }
            throw new TypeConversionException("'" + name + "' cannot be limited; for example nofile and nproc can");
        }

        private static long number(String text, String number) {
            if (number.equals("unlimited") || number.equals("-1")) {
                return ResourceLimit.UNLIMITED;
            }
            if (!number.matches("[0-9]{1,18}")) {
                throw new TypeConversionException("'" + text + "' has no number at '" + number + "'");
            }
            return Long.parseLong(number);
        }
    }
}
