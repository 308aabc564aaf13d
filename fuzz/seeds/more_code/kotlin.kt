hP7
import kotlin.math.max

/** A user. */
data class User(val id: Int) : Base() {
    fun greet(): String {
        return "hi"
    }
}
