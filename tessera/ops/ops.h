// All ops: the structs and the functions users call.
#pragma once

#include "tessera/ops/activation.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/embedding.h"
#include "tessera/ops/index.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/norm.h"
#include "tessera/ops/op_table.h"
#include "tessera/ops/quantized.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/rope.h"
#include "tessera/ops/scan.h"
#include "tessera/ops/sdpa.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/softmax.h"
#include "tessera/ops/unary.h"
