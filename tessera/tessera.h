// Everything a host program usually needs: arrays and their ops, backends, models, text generation
// and errors. A file that needs less includes less.
#pragma once

#include "tessera/backend/registry.h"
#include "tessera/core/error.h"
#include "tessera/core/log.h"
#include "tessera/graph/compile.h"
#include "tessera/graph/draw.h"
#include "tessera/graph/eval.h"
#include "tessera/models/load.h"
#include "tessera/ops/ops.h"
#include "tessera/text/generate.h"
#include "tessera/text/prompt.h"
#include "tessera/text/stream_decoder.h"
