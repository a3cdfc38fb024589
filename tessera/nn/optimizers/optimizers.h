// All optimisers and schedules.   namespace optim = tessera::optimizers;
#pragma once

#include "tessera/nn/optimizers/adadelta.h"
#include "tessera/nn/optimizers/adafactor.h"
#include "tessera/nn/optimizers/adagrad.h"
#include "tessera/nn/optimizers/adam.h"
#include "tessera/nn/optimizers/lion.h"
#include "tessera/nn/optimizers/multi_optimizer.h"
#include "tessera/nn/optimizers/muon.h"
#include "tessera/nn/optimizers/optimizer.h"
#include "tessera/nn/optimizers/rmsprop.h"
#include "tessera/nn/optimizers/schedulers.h"
#include "tessera/nn/optimizers/sgd.h"
