lP7
<html>
<?php
namespace A\B;
use C\{D, E as F};
/** doc */
#[Attr]
final class G extends H {
  use T;
  const X = 1;
  public function m(?int $a = null): void { echo "a {$a}"; }
}
function f() { return fn($x) => $x; }
?>
text
