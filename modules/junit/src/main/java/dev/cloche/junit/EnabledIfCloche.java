package dev.cloche.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Skips a test, or all tests of a class, on a host that cannot run VMs; the reason is what {@link
 * dev.cloche.Cloche#examine} finds, with the remedy.
 *
 * <pre>{@code
 * @EnabledIfCloche
 * class CacheTest { … }
 * }</pre>
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ClocheExtension.class)
public @interface EnabledIfCloche {}
