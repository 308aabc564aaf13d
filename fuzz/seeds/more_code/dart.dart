lP7
import 'dart:math' as math;

class User extends Base {
  @override
  String greet() {
    return 'hi';
  }
}
