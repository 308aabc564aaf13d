iP7
import Foundation

public class User: Base {
    init(id: Int) {
        self.id = id
    }
}
