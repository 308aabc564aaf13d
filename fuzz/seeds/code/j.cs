jP7
using System;
namespace A.B;
[Attr] public partial class C<T> : D where T : new() {
  public int P { get; set; } = 1;
  public event E F;
  async Task M(int a) => await G($"{a}");
  void M() { }
}
record struct R(int A);
