iP7
#include "a.hpp"
namespace n { namespace {
template <class T> class A : public B<T> {
 public:
  A() : b{1} {}
  ~A() = default;
  auto operator<<(int a) -> A& { return *this; }
};
} }
void n::A<int>::f() { [=](auto x) { return R"(raw)"; }(1); }
