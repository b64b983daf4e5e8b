"""One mistake each, planted into the same program. `expects` are the codes that must be reported whatever the structure is."""
import dataclasses

from .program import DATA, NET, Program, loader, replaced

MISTAKES = {}  # name: (the codes it must get, the program)
GOOD = Program()
STEP = GOOD.step
FORWARD, LOSS = "out = {model}(x)", "loss = {criterion}(out, y)"
BACKWARD, UPDATE = "loss.backward()", "{optimizer}.step()"
ZERO = "{optimizer}.zero_grad(set_to_none=True)"
HEAD = "        return self.head(self.drop(h))"
HEAD_MADE = "        self.head = nn.Linear(width, 10)\n"


def mistake(name, expects, **parts):
    MISTAKES[name] = (frozenset(expects.split()), dataclasses.replace(GOOD, **parts))


def before(*lines):
    return GOOD.before + lines


def net(old, new):
    assert old in NET, old
    return NET.replace(old, new)


def item(old, new):
    assert old in DATA, old
    return DATA.replace(old, new)


def loss_is(*lines):
    return replaced(STEP, LOSS, *lines)


mistake("clean", "")

# ---- Waiting for the device, and work that is repeated --------------------------------------------------------------
mistake("item", "DP402", before=before("history = []"), step=STEP + ("history.append(loss.item())",), after=("return history",))
mistake("print_loss", "DP402", step=STEP + ("print(loss)",))
mistake("formatted_loss", "DP402", step=STEP + ('print(f"step {{i}}: loss {{loss:.3f}}")',))
mistake("branch_on_loss", "DP402", step=replaced(STEP, BACKWARD, "if loss > 100:", "    loss = 0.1 * loss", BACKWARD))
mistake("nan_test", "DP402", step=replaced(STEP, BACKWARD, "assert not torch.isnan(loss)", BACKWARD))
mistake("float_of_loss", "DP402", before=before("running = 0.0"), step=STEP + ("running += float(loss)",), after=("return running",))
mistake("numpy_step", "DP402", before=before("seen = []"), step=STEP + ("seen.append(out.detach().cpu().numpy())",),
        after=("return seen",))
mistake("eval_item", "DP402", eval_before=("{model}.eval()", "correct = 0"),
        eval_step=("pred = {model}(x).argmax(dim=1)", "correct += (pred == y).sum().item()"), eval_after=("return correct",))
mistake("cpu_noise", "DP401", step=replaced(STEP, FORWARD, "noise = torch.randn(x.shape).to({device})",
                                            "out = {model}(x + 0.1 * noise)"))
mistake("constant_moved", "DP413", step=replaced(STEP, FORWARD, "window = torch.tensor([0.5, 1.0] * 32).to({device})",
                                                "out = {model}(x * window)"))
mistake("criterion_in_step", "DP236", step=loss_is(
    "criterion_now = nn.CrossEntropyLoss(weight=torch.ones(10, device={device}))", "loss = criterion_now(out, y)"))
mistake("empty_cache", "DP134", step=STEP + ("torch.cuda.empty_cache()",))
mistake("save_step", "DP405", step=STEP + ('torch.save({model}.state_dict(), "last.pt")',))
mistake("copy_in_step", "DP243", step=STEP + ("snapshot = copy.deepcopy({model})",))
mistake("compile_in_step", "DP234", step=replaced(STEP, FORWARD, "fast = torch.compile({model})", "out = fast(x)"))
mistake("iterator_in_step", "DP131", step=(ZERO, "other, _ = next(iter({loader}))", *STEP[1:]))
mistake("hook_in_step", "DP266", step=("{model}.register_forward_hook(lambda *_: None)", *STEP))
mistake("forward_for_accuracy", "DP232", before=before("correct = torch.zeros((), device={device})"),
        step=STEP + ("correct += ({model}(x).argmax(dim=1) == y).sum()",), after=("return correct",))
mistake("anomaly", "DP136", before=before("torch.autograd.set_detect_anomaly(True)"))
mistake("cat", "DP138", eval_before=("{model}.eval()", "preds = torch.empty(0, device={device})"),
        eval_step=("pred = {model}(x).argmax(dim=1)", "preds = torch.cat([preds, pred])"), eval_after=("return preds",))
mistake("per_sample", "DP146", eval_step=(
    "pred = torch.stack([{model}(x[k : k + 1]).argmax(dim=1)[0] for k in range(x.shape[0])])",
    "correct += (pred == y).sum()"))
mistake("per_row", "DP162", eval_step=(
    "out = {model}(x)", "norms = torch.zeros(x.shape[0], device={device})", "for k in range(x.shape[0]):",
    "    norms[k] = (out[k] * out[k]).sum()", "correct += norms.sum()"))
mistake("swallowed", "DP832", step=(ZERO, FORWARD, LOSS, "try:", "    loss.backward()", "    {optimizer}.step()",
                                    "except Exception:", "    pass"))
mistake("ends_early", "DP929", step=STEP + ("return loss.detach()",))

# ---- Graphs ---------------------------------------------------------------------------------------------------------
mistake("total_loss", "DP230", before=before("total = 0.0"), step=STEP + ("total = total + loss",), after=("return total",))
mistake("losses_kept", "DP230", before=before("losses = []"), step=STEP + ("losses.append(loss)",),
        after=("return torch.stack(losses).mean().item()",))
mistake("losses_by_name", "DP230", before=before("totals = {{}}"),
        step=STEP + ('terms = {{"loss": loss, "scaled": 2 * loss}}', "for name, term in terms.items():",
                     "    totals[name] = totals.get(name, 0.0) + term"),
        after=("return {{name: float(total) for name, total in totals.items()}}",))
mistake("no_no_grad", "DP232", eval_no_grad=False)
mistake("retain", "DP233", step=replaced(STEP, BACKWARD, "loss.backward(retain_graph=True)"))
mistake("hidden_kept", "DP231", before=before("memory = torch.zeros(64, 10, device={device})"),
        step=loss_is("memory = 0.9 * memory + out", "loss = {criterion}(memory, y)"))
mistake("rewrapped", "DP869", step=loss_is("loss = torch.tensor({criterion}(out, y), requires_grad=True)"))
mistake("forward_without_graph", "DP269", step=replaced(STEP, FORWARD, "with torch.no_grad():", "    out = {model}(x)"))
mistake("detached_output", "DP269", step=loss_is("loss = {criterion}(out.detach(), y)"))
mistake("argmax_loss", "DP923", step=loss_is("loss = F.mse_loss(out.argmax(dim=1).float(), y.float())"))
mistake("changed_in_place", "DP873", net=net("        return self.head(self.drop(h))",
                                             "        gate = torch.sigmoid(h)\n        h = h * gate\n        gate += 1.0\n" + HEAD))
mistake("inplace_ema", "DP922", extra=(("ema", "copy.deepcopy({model})"),), step=STEP + (
    "for slow, fast in zip({ema}.parameters(), {model}.parameters()):", "    slow.mul_(0.99).add_(0.01 * fast)"))
mistake("ema_without_buffers", "DP907", extra=(("ema", "copy.deepcopy({model})"),), step=STEP + (
    "with torch.no_grad():", "    for slow, fast in zip({ema}.parameters(), {model}.parameters()):",
    "        slow.lerp_(fast, 0.01)"),
    epoch=("{ema}.eval()", "with torch.no_grad():",
           "    print({ema}(torch.zeros(1, 3, 64, 64, device={device})).argmax(dim=1).sum().item())"))

# ---- The step -------------------------------------------------------------------------------------------------------
mistake("no_zero_grad", "DP805", step=STEP[1:])
mistake("zero_between", "DP828", step=(FORWARD, LOSS, BACKWARD, ZERO, UPDATE))
mistake("step_before", "DP828", step=(ZERO, FORWARD, LOSS, UPDATE, BACKWARD))
mistake("clip_after", "DP865", step=STEP + ("torch.nn.utils.clip_grad_norm_({model}.parameters(), 1.0)",))
mistake("optimizer_in_step", "DP814", step=(
    "optimizer_now = torch.optim.AdamW({model}.parameters(), lr=1e-3)", "optimizer_now.zero_grad()", FORWARD, LOSS, BACKWARD,
    "optimizer_now.step()"))
mistake("accumulated_sum", "DP830", before=before(ZERO), step=(
    FORWARD, LOSS, BACKWARD, "if (i + 1) % 4 == 0:", "    {optimizer}.step()", "    " + ZERO))
mistake("accumulation_early", "DP878", before=before(ZERO), step=(
    FORWARD, LOSS, "loss = loss / 4", BACKWARD, "if i % 4 == 0:", "    {optimizer}.step()", "    " + ZERO))
mistake("accumulation_cleared", "DP910", step=(
    ZERO, FORWARD, LOSS, "loss = loss / 4", BACKWARD, "if (i + 1) % 4 == 0:", "    {optimizer}.step()"))
SCALER = ("scaler", 'torch.cuda.amp.GradScaler()')
AUTOCAST = ('with torch.autocast("cuda", dtype=torch.float16):', "    out = {model}(x)", "    loss = {criterion}(out, y)")
mistake("half_unscaled", "DP501", step=(ZERO, *AUTOCAST, BACKWARD, UPDATE))
mistake("step_past_scaler", "DP866", extra=(SCALER,), step=(ZERO, *AUTOCAST, "{scaler}.scale(loss).backward()", UPDATE))
mistake("scaler_without_update", "DP911", extra=(SCALER,), step=(
    ZERO, *AUTOCAST, "{scaler}.scale(loss).backward()", "{scaler}.step({optimizer})"))
mistake("clip_scaled", "DP827", extra=(SCALER,), step=(
    ZERO, *AUTOCAST, "{scaler}.scale(loss).backward()", "torch.nn.utils.clip_grad_norm_({model}.parameters(), 1.0)",
    "{scaler}.step({optimizer})", "{scaler}.update()"))
mistake("clean_scaled", "", extra=(SCALER,), step=(
    ZERO, *AUTOCAST, "{scaler}.scale(loss).backward()", "{scaler}.unscale_({optimizer})",
    "torch.nn.utils.clip_grad_norm_({model}.parameters(), 1.0)", "{scaler}.step({optimizer})", "{scaler}.update()"))
mistake("clean_accumulated", "", before=before(ZERO), step=(
    FORWARD, LOSS, "(loss / 4).backward()", "if (i + 1) % 4 == 0:", "    {optimizer}.step()", "    " + ZERO))
mistake("seed_in_step", "DP927", step=("torch.manual_seed(0)", *STEP))
mistake("direct_forward", "DP808", model="watched(Net())", step=replaced(STEP, FORWARD, "out = {model}.forward(x)"), helpers="""
def watched(net):
    net.register_forward_hook(lambda module, args, output: print(output.shape))
    return net
""")

# ---- Schedules ------------------------------------------------------------------------------------------------------
SGD = "torch.optim.SGD({model}.parameters(), lr=0.1, momentum=0.9)"
mistake("schedule_first", "DP807", optimizer=SGD, extra=(("scheduler", "torch.optim.lr_scheduler.OneCycleLR({optimizer}, 0.1, 90000)"),),
        step=("{scheduler}.step()", *STEP))
mistake("schedule_per_batch", "DP872", optimizer=SGD, extra=(("scheduler", "torch.optim.lr_scheduler.StepLR({optimizer}, 30)"),),
        step=STEP + ("{scheduler}.step()",))
mistake("schedule_never", "DP920", optimizer=SGD, extra=(("scheduler", "torch.optim.lr_scheduler.StepLR({optimizer}, 30)"),))
mistake("plateau_blind", "DP919", optimizer=SGD,
        extra=(("scheduler", "torch.optim.lr_scheduler.ReduceLROnPlateau({optimizer})"),), epoch=("{scheduler}.step()",))
mistake("clean_scheduled", "", optimizer=SGD, extra=(("scheduler", "torch.optim.lr_scheduler.StepLR({optimizer}, 30)"),),
        epoch=("{scheduler}.step()",))

# ---- Modes, parameters and copies -----------------------------------------------------------------------------------
mistake("no_eval", "DP813", eval_before=GOOD.eval_before[1:])
mistake("no_train", "DP806", before=())
mistake("dropout_always", "DP863", net=net(HEAD, "        return self.head(F.dropout(h, 0.2))"))
mistake("frozen_head", "DP925", model="build_net()", helpers="""
def build_net():
    net = Net()
    net.head = nn.Linear(64, 10)
    for parameter in net.parameters():
        parameter.requires_grad = False
    return net
""")
mistake("parameters_twice", "DP924",
        optimizer="torch.optim.AdamW([*{model}.parameters(), *{model}.parameters()], lr=1e-3)")
mistake("model_aliased", "DP921", extra=(("ema", "{model}"),), step=STEP + (
    "with torch.no_grad():", "    for slow, fast in zip({ema}.parameters(), {model}.parameters()):",
    "        slow.lerp_(fast, 0.01)"))
mistake("half_trained", "DP522", model="Net().half()", step=replaced(STEP, FORWARD, "out = {model}(x.half())"),
        eval_step=("pred = {model}(x.half()).argmax(dim=1)", "correct += (pred == y).sum()"))
mistake("constant_init", "DP810", net=net(HEAD_MADE, HEAD_MADE + "        nn.init.constant_(self.conv.weight, 0.1)\n"))
mistake("grad_typo", "DP809", net=net(HEAD_MADE, HEAD_MADE + "        self.head.weight.require_grad = False\n"))

# ---- Networks -------------------------------------------------------------------------------------------------------
mistake("relu_logits", "DP815", net=net(HEAD, "        return F.relu(self.head(self.drop(h)))"))
mistake("layer_in_forward", "DP236", net=net(HEAD, "        proj = nn.Linear(h.shape[1], h.shape[1]).to(x.device)\n"
                                             "        return self.head(self.drop(proj(h)))"))
mistake("layers_in_list", "DP237 DP608", net=net(
    HEAD_MADE, "        self.extra = [nn.Linear(width, width) for _ in range(3)]\n" + HEAD_MADE).replace(
    HEAD, "        for layer in self.extra:\n            h = F.relu(layer(h))\n" + HEAD))
mistake("tensor_not_parameter", "DP227", net=net(
    HEAD_MADE, HEAD_MADE + "        self.scale = torch.ones(width, requires_grad=True)\n").replace(
    HEAD, "        return self.head(self.drop(h * self.scale.to(x.device)))"))
mistake("mean_not_buffer", "DP404", net=net(
    HEAD_MADE, HEAD_MADE + "        self.mean = torch.zeros(1, 3, 1, 1)\n").replace(
    "self.conv(x)", "self.conv(x - self.mean.to(x.device))"))
mistake("wrong_features", "DP601", net=net("nn.Linear(width, 10)", "nn.Linear(2 * width, 10)"))
mistake("unused_layer", "DP239", net=net(HEAD_MADE, HEAD_MADE + "        self.extra = nn.Linear(width, width)\n"))

# ---- Losses ---------------------------------------------------------------------------------------------------------
mistake("softmax_in_net", "DP801", net=net(HEAD, "        return F.softmax(self.head(self.drop(h)), dim=1)"))
mistake("softmax_in_step", "DP801", step=loss_is("loss = {criterion}(torch.softmax(out, dim=1), y)"))
mistake("sigmoid_twice", "DP802", criterion="nn.BCEWithLogitsLoss()", step=loss_is(
    "target = F.one_hot(y, 10).float()", "loss = {criterion}(torch.sigmoid(out), target)"))
mistake("no_sigmoid", "DP803", criterion="nn.BCELoss()", step=loss_is(
    "target = F.one_hot(y, 10).float()", "loss = {criterion}(out, target)"))
mistake("no_log_softmax", "DP804", criterion="nn.NLLLoss()")
mistake("log_of_softmax", "DP701", criterion="nn.NLLLoss()", step=loss_is(
    "loss = {criterion}(torch.log(torch.softmax(out, dim=1)), y)"))
mistake("softmax_over_batch", "DP267", criterion="nn.NLLLoss()", step=loss_is(
    "loss = {criterion}(torch.log_softmax(out, dim=0), y)"))
mistake("kl_of_probabilities", "DP908", criterion='nn.KLDivLoss(reduction="batchmean")', step=loss_is(
    "target = F.one_hot(y, 10).float()", "loss = {criterion}(torch.softmax(out, dim=1), target)"))
mistake("one_hot", "DP881", step=loss_is("loss = {criterion}(out, F.one_hot(y, 10))"))
mistake("column_and_row", "DP606", net=net("nn.Linear(width, 10)", "nn.Linear(width, 1)"), criterion="nn.MSELoss()",
        step=loss_is("loss = {criterion}(out, y.float())"), eval_step=("pred = {model}(x).squeeze(1).round()", "correct += (pred == y).sum()"))
mistake("thresholded_logits", "DP909", criterion="nn.BCEWithLogitsLoss()", step=loss_is(
    "loss = {criterion}(out, F.one_hot(y, 10).float())"), eval_step=(
    "pred = {model}(x) > 0.5", "correct += (pred == F.one_hot(y, 10).bool()).sum()"))

# ---- Numbers --------------------------------------------------------------------------------------------------------
TOTAL = ("total = torch.zeros((), device={device})",)
mistake("total_reset", "DP868", before=GOOD.before, step=STEP + ("total = 0.0", "total += loss.detach()"), after=("return total",))
mistake("wrong_count", "DP918", before=before(*TOTAL), step=STEP + ("total += loss.detach()",),
        after=("return total.item() / len({loader}.dataset)",))
mistake("clean_average", "", before=before(*TOTAL), step=STEP + ("total += loss.detach()",),
        after=("return total.item() / len({loader})",))

# ---- Data -----------------------------------------------------------------------------------------------------------
mistake("no_workers", "DP130", train_loader=loader("train", num_workers=None, persistent_workers=None))
mistake("no_shuffle", "DP817", train_loader=loader("train", shuffle=None))
mistake("no_pin", "DP132", train_loader=loader("train", pin_memory=None))
mistake("workers_restarted", "DP147", train_loader=loader("train", persistent_workers=None))
mistake("evaluation_drops", "DP896", val_loader=loader("val", drop_last=True))
mistake("sampler_fixed", "DP829", train_loader=loader(
    "train", shuffle=None, sampler='torch.utils.data.distributed.DistributedSampler(Images("train", sorted(os.listdir("train"))))'))
mistake("excluding_options", "DP452", train_loader=loader(
    "train", sampler='torch.utils.data.RandomSampler(Images("train", sorted(os.listdir("train"))))'))
RESULT = "        return torch.from_numpy(array).permute(2, 0, 1), index % 10"
mistake("item_on_gpu", "DP414", data=item(RESULT, RESULT.replace("permute(2, 0, 1)", "permute(2, 0, 1).cuda()")))
mistake("item_reads_table", "DP406", imports="import pandas as pd\n", data=item(
    RESULT, '        labels = pd.read_csv("labels.csv")\n' + RESULT.replace("index % 10", "int(labels.label[index])")))
mistake("item_builds_transform", "DP407", imports="from torchvision import transforms\n", data=item(
    RESULT, '        transform = transforms.Compose([transforms.ToTensor(), transforms.RandomHorizontalFlip()])\n'
            "        return transform(image), index % 10").replace(
    "        array = np.asarray(image, dtype=np.float32) / 255.0\n", ""))
