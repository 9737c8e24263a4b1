/** Brings VMs up: from a pool, from a template, or by a boot; makes templates and fills pools. */
@NullMarked
package dev.cloche.sandbox.warm;

import org.jspecify.annotations.NullMarked;
