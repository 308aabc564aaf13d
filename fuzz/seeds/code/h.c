hP7
#include <a.h>
#ifdef X
#define F(a) \
  (a)
#endif
/* doc */
struct s { int a; };
static int *f(int a[]) {
  switch (a[0]) { case 1: return 0; default: break; }
  return &a[1];
}
int f2(a) int a; { return a; }
