// Fetching Python's files: says how much of them has come, and keeps them for the next visit.
//
// Kept by the Cache API, which a browser has on HTTPS and on this machine only.  Elsewhere, and for
// the two modules that are imported, there is the browser's own cache, as the server lets it keep.

const NAME = "ppslab-python";

/** The kept files of this Python; undefined where this browser keeps nothing. */
async function opened(base, made) {
  try {
    const own = `${NAME} ${base} `;
    for (const name of await caches.keys()) {
      if (name.startsWith(own) && name !== own + made) await caches.delete(name);
    }
    return await caches.open(own + made);
  } catch {
    return undefined;
  }
}

/** `base`: where they lie; `told`: `files`, each with its bytes, and `made`, which names this Python. */
export async function fetcher(base, { files, made }, say) {
  const browsers = globalThis.fetch.bind(globalThis);
  const cache = await opened(base, made);
  const whole = Object.values(files).reduce((sum, bytes) => sum + bytes, 0);
  const fresh = [];
  let come = 0;
  let said;

  function more(bytes) {
    come += bytes;
    const part = Math.floor((100 * come) / whole);
    if (part !== said) say(`loading Python, ${part} %`);
    said = part;
  }

  function counted(answer) {
    const counter = new TransformStream({
      transform(piece, passed) {
        more(piece.length);
        passed.enqueue(piece);
      },
    });
    // Type and all: WebAssembly compiles while it comes, where it is told what comes.
    const { status, statusText, headers } = answer;
    return new Response(answer.body.pipeThrough(counter), { status, statusText, headers });
  }

  async function fetch(asked, options) {
    const address = new URL(asked.url ?? asked, base).href;
    const bytes = address.startsWith(base) ? files[address.slice(base.length)] : undefined;
    if (bytes === undefined) return browsers(asked, options);
    const kept = await cache?.match(address);
    if (kept) {
      more(bytes);
      return kept;
    }
    const answer = await browsers(asked, options);
    if (!answer.ok) return answer;
    if (cache) fresh.push([address, answer.clone()]);
    return counted(answer);
  }

  /** Keep what came, once Python runs: nobody waits for it. */
  async function keep() {
    try {
      for (const [address, answer] of fresh.splice(0)) await cache.put(address, answer);
    } catch {
      // A full disk, or a browser that keeps nothing: the next visit loads it again.
    }
  }

  return { fetch, browsers, keep };
}
