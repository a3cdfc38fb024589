"""One run of llama.cpp: load, warm up, prefill, decode. Prints one JSON object.

Runs under the Python that has llama-cpp-python. Only llama.cpp's own C functions lie between two
readings of the clock: the batches are made before, and there is neither sampling nor text.
The passes are those of `tessera bench`.
"""

import argparse
import ctypes
import json
import resource
import time

import llama_cpp


class Stopwatch:
    """Wall clock and processor seconds of all threads."""

    def __init__(self):
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def rates(self, tokens):
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        return {"wall": tokens / wall, "cpu": tokens / cpu}


def peak_resident_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def made_up_prompt(vocab, count):
    """As `tessera bench` makes it: ids spread over the vocabulary, no control tokens."""
    size = llama_cpp.llama_vocab_n_tokens(vocab)
    ids, i = [], 0
    while len(ids) < count:
        token = (i * 2654435761 + 12345) % size
        if not llama_cpp.llama_vocab_is_control(vocab, token):
            ids.append(token)
        i += 1
    return ids


class Peer:
    def __init__(self, options):
        llama_cpp.llama_backend_init()
        start = time.perf_counter()
        self.model = llama_cpp.llama_model_load_from_file(
            options.model.encode(), llama_cpp.llama_model_default_params())
        if not self.model:
            raise SystemExit(f"llama.cpp cannot load {options.model}")
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = options.context
        params.n_batch = params.n_ubatch = 512
        params.n_threads = params.n_threads_batch = options.threads
        self.context = llama_cpp.llama_init_from_model(self.model, params)
        if not self.context:
            raise SystemExit(f"llama.cpp cannot make a context of {options.context} tokens")
        self.load_seconds = time.perf_counter() - start
        self.memory = llama_cpp.llama_get_memory(self.context)
        vocab = llama_cpp.llama_model_get_vocab(self.model)
        self.prompt = made_up_prompt(vocab, options.context)

    def clear(self):
        llama_cpp.llama_memory_clear(self.memory, True)

    def batches(self, ids, length):
        """Batches of up to `length` ids, and what keeps their memory alive."""
        made = []
        for at in range(0, len(ids), length):
            part = ids[at:at + length]
            tokens = (llama_cpp.llama_token * len(part))(*part)
            made.append((llama_cpp.llama_batch_get_one(tokens, len(part)), tokens))
        return made

    def decode(self, batches):
        watch = Stopwatch()
        for batch, _ in batches:
            if llama_cpp.llama_decode(self.context, batch):
                raise SystemExit("llama_decode failed")
            llama_cpp.llama_get_logits(self.context)  # waits for them
        return watch.rates(sum(batch.n_tokens for batch, _ in batches))

    def run_pass(self, length, steps):
        self.clear()
        prefill = self.decode(self.batches(self.prompt[:length], 512))
        rest = self.batches(self.prompt[length:length + steps], 1)
        return prefill, self.decode(rest) if steps else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--prompt-tokens", type=int, default=512)
    parser.add_argument("--generate-tokens", type=int, default=64)
    parser.add_argument("--depth", type=int, action="append")
    options = parser.parse_args()
    depths = sorted(set(options.depth or [options.prompt_tokens]))
    lengths = [options.prompt_tokens, max(1, depths[-1]) + options.generate_tokens]
    options.context = (max(lengths) + 255) // 256 * 256

    # llama.cpp logs to standard error without end otherwise.
    silence = llama_cpp.llama_log_callback(lambda level, text, data: None)
    llama_cpp.llama_log_set(silence, ctypes.c_void_p())
    before = peak_resident_bytes()
    peer = Peer(options)
    decode = {}
    steps = options.generate_tokens if options.prompt_tokens in depths else 0
    peer.run_pass(options.prompt_tokens, steps)  # warms up
    prefill, rates = peer.run_pass(options.prompt_tokens, steps)
    for depth in depths:
        if depth != options.prompt_tokens:
            _, rates = peer.run_pass(max(1, depth), options.generate_tokens)
        decode[str(depth)] = rates
    print(json.dumps({
        "version": llama_cpp.__version__,
        "system": llama_cpp.llama_print_system_info().decode().strip(" |"),
        "load_seconds": peer.load_seconds,
        "prefill": prefill,
        "decode": decode,
        # What the interpreter took before it loaded anything is not llama.cpp's.
        "peak_resident_bytes": peak_resident_bytes() - before,
        "interpreter_bytes": before,
    }))


if __name__ == "__main__":
    main()
