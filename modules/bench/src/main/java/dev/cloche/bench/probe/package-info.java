/** Makes and drives what is measured: VMs with little around them, pools, stores, images and programs. */
@NullMarked
package dev.cloche.bench.probe;

import org.jspecify.annotations.NullMarked;
