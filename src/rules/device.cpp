#include "rules/device.h"

#include "model/bind.h"
#include "rules/origins.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;

namespace {

// What a device may be, over all ways that lead to it.
struct DeviceNames {
  bool names_gpu = false;
  bool names_other = false; // and not only the CPU of a machine without one
};

constexpr u32 kMostDeviceSteps = 4; // torch.device(name), whose name is a setting

void look_at(const Site &site, const Expr *device, u32 depth, DeviceNames &found);

// Right here: `"cuda:0" if torch.cuda.is_available() else "cpu"`, `f"cuda:{rank}"`.
void look_at_text(const Site &site, const Expr *device, DeviceNames &found) {
  const std::string_view text = text_of(site, device);
  if (text.find("cuda") != std::string_view::npos) {
    found.names_gpu = true;
  } else if (text != "\"cpu\"" && text != "'cpu'" && text != "\"mps\"" && text != "'mps'" && text != "\"xpu\"" &&
             text != "'xpu'") {
    found.names_other = true;
  }
}

void look_at_origin(const Site &site, const Expr *device, u32 depth, DeviceNames &found) {
  const auto *call = as<Call>(device);
  if (call != nullptr && !call->args.empty() && called_api(site, *call) == "torch.device" &&
      text_of(site, call).find("cuda") == std::string_view::npos) {
    look_at(site, call->args[0], depth + 1, found);
    return;
  }
  const auto setting = device->kind == NodeKind::Attribute || device->kind == NodeKind::Subscript
                           ? setting_of(site, device)
                           : std::nullopt;
  const std::optional<std::string> name = setting.has_value() ? setting->as_string() : std::nullopt;
  if (name.has_value()) { // what it is by default
    found.names_gpu |= name->starts_with("cuda");
    found.names_other |= !name->starts_with("cuda");
    return;
  }
  look_at_text(site, device, found);
}

void look_at(const Site &site, const Expr *device, u32 depth, DeviceNames &found) {
  if (depth > kMostDeviceSteps || site.function == nullptr) {
    found.names_other = true;
    return;
  }
  const bool is_known = visit_origins(site, *site.function, device, [&](const Origin &origin) {
    if (origin.parameter_of != nullptr) {
      return Onward::Through;
    }
    if (origin.expr != nullptr) {
      look_at_origin(site_of_origin(site, *origin.function), origin.expr, depth, found);
    }
    return Onward::Stop;
  });
  found.names_other |= !is_known;
}

} // namespace

bool is_surely_gpu(const Site &site, const Call &move) {
  if (called_method(move) == "cuda") {
    return true;
  }
  const Expr *target = argument(move, 0, "device");
  const std::vector<model::Argument::Given> written = model::written_as(scope_of(site), target);
  if (!written.empty() && std::ranges::all_of(written, [](const model::Argument::Given &given) {
        const std::string_view text = given.scope.module->parsed->source.part(given.expr->start, given.expr->end);
        return text.find("cuda") != std::string_view::npos;
      })) {
    return true;
  }
  DeviceNames found;
  if (target != nullptr) {
    look_at(site, target, 0, found);
  }
  return found.names_gpu && !found.names_other;
}

} // namespace deepperf::rules
