/** SQLite: opening, transactions, migrations, leases, backup. */
@NullMarked
package dev.cloche.catalog;

import org.jspecify.annotations.NullMarked;
