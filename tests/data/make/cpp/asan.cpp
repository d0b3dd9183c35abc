#include <cstdio>
#include <string>
#include <vector>

struct Session {
    std::string user;
    std::vector<int> pages;
};

static int last_page(const Session *session) { return session->pages.back(); }

static void serve(std::vector<Session *> &sessions) {
    for (int round = 0; round < 400; round++) {
        std::printf("[%04d] serving %zu sessions, %d pages each\n", round, sessions.size(), round % 7);
        std::fflush(stdout);
        if (round == 377) delete sessions[2];
        last_page(sessions[2]);
    }
}

int main() {
    std::vector<Session *> sessions;
    for (int index = 0; index < 4; index++) sessions.push_back(new Session{"user" + std::to_string(index), {1, 2, 3}});
    serve(sessions);
}
