#pragma once
#include <map>
#include <string>

struct Article {
    std::string name;
    int quantity = 0;
};

class Inventory {
public:
    void add(const Article &article);
    int total() const;
    void save(const std::string &path) const;

private:
    std::map<std::string, Article> articles_;
};
