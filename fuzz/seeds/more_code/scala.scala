jP7
import java.util.{List => JList, Map}

object Users {
  def apply(): User = {
    ???
  }
}
