#pragma once
#include <vector>

template <typename T>
class Box : public Base {
 public:
  int size() const { return 0; }

 private:
  std::vector<T> items;
};
