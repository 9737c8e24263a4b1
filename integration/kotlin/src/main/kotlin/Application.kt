package outside

import dev.cloche.Cloche
import kotlin.reflect.KType
import kotlin.reflect.typeOf

private val platformTypes = mutableListOf<String>()
private var told = 0

/** Notes the type that the compiler has inferred for what is not called here, with a `!` if Java does not say what may be null. */
inline fun <reified T> of(name: String, @Suppress("UNUSED_PARAMETER") call: () -> T) = note(name, typeOf<T>())

fun note(name: String, type: KType) {
    told++
    if (type.toString().contains("!")) {
        platformTypes += "$name: $type"
    }
}

/** Stands for a value in a call that is not made. */
fun <T> any(): T = throw UnsupportedOperationException()

fun main() {
    of("the JDK") { System.lineSeparator() }
    of("the JDK, its parameters") { System::setProperty }
    check(platformTypes.size == 2) { "the JDK says nothing of null" }
    platformTypes.clear()
    calls()
    check(platformTypes.isEmpty()) { "of $told: " + platformTypes.joinToString("\n", "\n") }
    check(told > 1000) { "only $told were told" }
    Cloche.open().use { cloche ->
        cloche.sandbox("base").start().use { sandbox ->
            val result = sandbox.exec("sh", "-c", "echo \$((6 * 7)); exit 3")
            check(result.stdoutText() == "42\n" && result.exitCode() == 3) { result }
        }
    }
    println("as it should be")
}
