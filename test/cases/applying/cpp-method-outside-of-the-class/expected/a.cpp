#include "a.h"

namespace app {

int Box::size() const {
  return items.size();
}

void Box::clear() {
  items.clear();
}

}
