#include "inventory.h"
#include <iostream>

int main(int argc, char **argv) {
    Inventory inventory;
    inventory.add({"bolt", 40});
    inventory.save("inventory.txt");
    std::cout << inventory.total() << '\n';
}
