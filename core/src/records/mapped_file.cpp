#include "striate/records/mapped_file.hpp"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

namespace striate {

namespace {

thread_local sigjmp_buf* escape = nullptr;  // where this thread goes on when a page is lost

std::mutex counting;
int readers = 0;  // threads under guard; the first installs the handler, the last takes it away
struct sigaction before{};

void leave(int signal, siginfo_t* info, void*) {
    if (escape != nullptr) siglongjmp(*escape, 1);
    sigaction(signal, &before, nullptr);    // not ours: as if we had never been here
    if (info->si_code <= 0) raise(signal);  // sent by someone; a fault happens again by itself
}

class Guard {
  public:
    explicit Guard(sigjmp_buf* target) {
        const std::lock_guard lock(counting);
        if (readers++ == 0) {
            struct sigaction action{};
            action.sa_sigaction = leave;
            action.sa_flags = SA_SIGINFO;
            sigaction(SIGBUS, &action, &before);
        }
        escape = target;
    }
    ~Guard() {
        escape = nullptr;
        const std::lock_guard lock(counting);
        if (--readers == 0) sigaction(SIGBUS, &before, nullptr);
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
};

}  // namespace

MappedFile::MappedFile(int descriptor, std::size_t bytes) {
    if (bytes == 0) return;
    void* memory = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) throw std::runtime_error(std::string("cannot map: ") + std::strerror(errno));
    content_ = {static_cast<const std::byte*>(memory), bytes};
}

MappedFile::~MappedFile() {
    if (!content_.empty()) munmap(const_cast<std::byte*>(content_.data()), content_.size());
}

void read_guarded(const std::function<void()>& work) {
    sigjmp_buf target;
    const Guard guard(&target);
    if (sigsetjmp(target, 1) != 0) throw PageLost("a page of the file could not be read");
    work();
}

}  // namespace striate
