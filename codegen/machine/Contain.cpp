#include "codegen/machine/Contain.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <mutex>
#include <string>

namespace {

/// The text of this thread's fatal error; LLVM's handler has no other way to hand it over.
thread_local std::string fatalText;

void onFatalError(void *, const char *text, bool) {
  fatalText = text;
  if (auto *context = llvm::CrashRecoveryContext::GetCurrent()) context->HandleExit(1);
}

/// LLVM's handlers are the process's, so they are installed by the first that enters and removed by the last to leave.
class HandlerScope {
public:
  HandlerScope() {
    std::lock_guard lock(mutex());
    if (users()++ > 0) return;
    llvm::CrashRecoveryContext::Enable();
    llvm::install_fatal_error_handler(onFatalError);
  }
  ~HandlerScope() {
    std::lock_guard lock(mutex());
    if (--users() > 0) return;
    llvm::remove_fatal_error_handler();
    llvm::CrashRecoveryContext::Disable();
  }
  HandlerScope(const HandlerScope &) = delete;
  HandlerScope &operator=(const HandlerScope &) = delete;

private:
  static std::mutex &mutex() {
    static std::mutex m;
    return m;
  }
  static int &users() {
    static int count = 0;
    return count;
  }
};

} // namespace

llvm::Error kiln::codegen::contained(llvm::function_ref<void()> work) {
  HandlerScope handlers;
  fatalText.clear();
  llvm::CrashRecoveryContext context;
  if (context.RunSafely(work)) return llvm::Error::success();
  return llvm::createStringError(fatalText.empty() ? "LLVM crashed while it compiled this kernel" : fatalText);
}
