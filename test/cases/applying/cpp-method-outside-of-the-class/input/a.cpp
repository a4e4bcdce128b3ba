#include "a.h"

namespace app {

int Box::size() const {
  return 0;
}

void Box::clear() {
  items.clear();
}

}
