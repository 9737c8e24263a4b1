package dev.cloche.base;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks what may still change, or go, in any release: a type with its members, a method, or a package. What has no mark stays from
 * one minor version to the next, from 1.0 on. {@code docs/compatibility.md} lists what is marked, with the reason.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.PACKAGE})
public @interface Incubating {}
