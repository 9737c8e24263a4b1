/** Says what checks payloads against schemas, for the room that does it. Rooms that use processes need none of it. */
@NullMarked
package dev.cloche.process.schema;

import org.jspecify.annotations.NullMarked;
