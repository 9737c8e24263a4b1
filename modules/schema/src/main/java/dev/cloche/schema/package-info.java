/** JSON Schemas of event types, for applications that want them: draft 2020-12, bounded in time, never fetched. */
@NullMarked
package dev.cloche.schema;

import org.jspecify.annotations.NullMarked;
