/** Configures Cloche in applications of Spring Boot 3.5 and 4. */
@NullMarked
package dev.cloche.spring;

import org.jspecify.annotations.NullMarked;
