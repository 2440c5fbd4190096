#include "compiler/report/DevicesJson.h"

#include "compiler/kiln/Compiler.h"

#include <nlohmann/json.hpp>

using namespace kiln;
using nlohmann::json;

static json gpuJson(const GpuInfo &gpu) {
  return {{"ordinal", gpu.ordinal},
          {"name", gpu.name},
          {"compute_capability", gpu.capability},
          {"multiprocessors", gpu.multiprocessors},
          {"memory_bytes", gpu.memoryBytes}};
}

std::string kiln::devicesJson() {
  json all = json::array();
  for (const DeviceInfo &device : devices()) {
    json entry = {
        {"name", device.name}, {"present", device.present}, {"detail", device.detail}, {"targets", device.targets}};
    if (!device.driver.empty()) entry["driver"] = device.driver;
    if (device.name != "cpu") entry["gpus"] = json::array();
    for (const GpuInfo &gpu : device.gpus) entry["gpus"].push_back(gpuJson(gpu));
    all.push_back(std::move(entry));
  }
  return all.dump(2, ' ', false, json::error_handler_t::replace);
}
