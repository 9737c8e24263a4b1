package outside

import dev.cloche.Cloche
import kotlin.reflect.KType
import kotlin.reflect.typeOf

/** Returns the type that the compiler has inferred, with a `!` if Java does not say whether it may be null. */
inline fun <reified T> typeOf(@Suppress("UNUSED_PARAMETER") value: T): KType = typeOf<T>()

fun main() {
    check(typeOf(System.lineSeparator()).toString().contains("!")) { "the JDK says nothing of null" }
    Cloche.open().use { cloche ->
        cloche.sandbox("base").start().use { sandbox ->
            val result = sandbox.exec("sh", "-c", "echo \$((6 * 7)); exit 3")
            check(result.stdoutText() == "42\n" && result.exitCode() == 3) { result }
            for (type in listOf(
                typeOf(cloche),
                typeOf(sandbox),
                typeOf(sandbox.name()),
                typeOf(result),
                typeOf(result.stdoutText()),
                typeOf(cloche.sandboxes().list()),
            )) {
                check(!type.toString().contains("!")) { type }
            }
        }
    }
    println("as it should be")
}
