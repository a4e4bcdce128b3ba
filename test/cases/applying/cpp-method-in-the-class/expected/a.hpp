#pragma once
#include <vector>

template <typename T>
class Box : public Base {
 public:
  int size() const { return items.size(); }

 private:
  std::vector<T> items;
};
