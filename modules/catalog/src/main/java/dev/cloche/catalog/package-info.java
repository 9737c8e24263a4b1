/** SQLite: opening, transactions, migrations. */
@NullMarked
package dev.cloche.catalog;

import org.jspecify.annotations.NullMarked;
