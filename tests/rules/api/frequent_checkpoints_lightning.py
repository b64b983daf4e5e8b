import lightning as L
from lightning.pytorch.callbacks import ModelCheckpoint

often = L.Trainer(max_epochs=10, val_check_interval=5)  # expect: DP184
saves = ModelCheckpoint(every_n_train_steps=10, save_top_k=-1)  # expect: DP184
debugged = L.Trainer(max_epochs=10, detect_anomaly=True)  # expect: DP136

# ---- silent
part = L.Trainer(max_epochs=10, val_check_interval=0.25)
whole = L.Trainer(max_epochs=10, val_check_interval=1.0)
seldom = L.Trainer(max_epochs=10, val_check_interval=2000, detect_anomaly=False)
short = L.Trainer(max_steps=100, val_check_interval=5)
kept = ModelCheckpoint(every_n_train_steps=1000)
