#include "inventory.h"

void Inventory::add(const Article &article) { articles_[article.name] = article; }

int Inventory::total() const {
    int sum = 0;
    for (const auto &[name, article] : articles_) sum += article.quantity;
    return sum;
}
