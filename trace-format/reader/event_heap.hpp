// A binary heap of items that have an EventKey `key`, the smallest in front.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ringside::trace {

template <class Item>
class EventHeap {
 public:
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  const Item& front() const { return items_.front(); }

  // Appends all of them, in no order, to `items`.
  void move_to(std::vector<Item>& items) {
    items.insert(items.end(), items_.begin(), items_.end());
    items_.clear();
  }

  void push(const Item& item) {
    items_.push_back(item);
    std::push_heap(items_.begin(), items_.end(), later);
  }
  Item pop() {
    std::pop_heap(items_.begin(), items_.end(), later);
    const Item item = items_.back();
    items_.pop_back();
    return item;
  }
  // Inserts `item` and moves the front to `item`, in one walk down the heap.
  void replace_front(Item& item) {
    const Item front = items_.front();
    const std::size_t size = items_.size();
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && items_[child + 1].key < items_[child].key) ++child;
      if (item.key < items_[child].key) break;
      items_[hole] = items_[child];
      hole = child;
    }
    items_[hole] = item;
    item = front;
  }

 private:
  static bool later(const Item& a, const Item& b) { return b.key < a.key; }
  std::vector<Item> items_;
};

}  // namespace ringside::trace
