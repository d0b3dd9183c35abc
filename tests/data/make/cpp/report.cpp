#include "inventory.h"
#include <algorithm>
#include <iostream>
#include <list>
#include <vector>

struct Row {
    int quantity;
    Article article;
};

int main() {
    std::list<Row> rows{{3, {"nut", 3}}, {1, {"bolt", 1}}};
    std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) { return a.quantity < b.quantity; });
    std::map<Row, std::string> names;
    names[rows.front()] = "first";
    std::cout << rows.front().articel.name << '\n';
    Inventory inventory = "none";
    return inventory.size()
}
