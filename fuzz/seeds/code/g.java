gP7
package a;
import java.util.*;
/** Doc. */
@A(1) public class C<T> extends D implements E {
  int x = 1;
  C() {}
  @Override public void m(int a) { for (;;) { x++; } }
  void m() {}
  enum F { G { }, H; }
  record R(int a) {}
}
