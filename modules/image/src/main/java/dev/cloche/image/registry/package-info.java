/** Speaks to registries and their mirrors: logins, retries, and blobs that go on where they broke off. */
@NullMarked
package dev.cloche.image.registry;

import org.jspecify.annotations.NullMarked;
