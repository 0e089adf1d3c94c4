// Routers that the reader saved: in the browser's IndexedDB, one for each lab, and as a file.
//
// A state belongs to the emulator that made it (its version, its memory); nothing else of the site
// matters to it, for its kernel is in it.
const NAME = "ppslab-router";
const STORE = "states";
const HEAD = "ppslab router ";

function opened() {
  return new Promise((done, failed) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}

async function within(mode, act) {
  const database = await opened();
  try {
    return await new Promise((done, failed) => {
      const change = database.transaction(STORE, mode);
      const request = act(change.objectStore(STORE));
      change.oncomplete = () => done(request.result);
      change.onabort = change.onerror = () => failed(change.error);
    });
  } finally {
    database.close();
  }
}

/** {lab, fits, when, sized, content}, or undefined; a browser that keeps nothing has none. */
export async function kept(lab) {
  try {
    return await within("readonly", (store) => store.get(lab));
  } catch {
    return undefined;
  }
}

export const keep = (state) => within("readwrite", (store) => store.put(state, state.lab));
export const forget = (lab) => within("readwrite", (store) => store.delete(lab));

/** A file: one line that says what it is, then the state, packed. */
export function asFile({ content, ...told }) {
  return new Blob([`${HEAD}${JSON.stringify(told)}\n`, content]);
}

/** The state of such a file; an Error says why it is none for this page. */
export async function ofFile(file, lab, fits) {
  const content = await file.arrayBuffer();
  const end = new Uint8Array(content, 0, Math.min(content.byteLength, 1000)).indexOf(10);
  const line = new TextDecoder().decode(new Uint8Array(content, 0, Math.max(end, 0)));
  let told;
  try {
    if (!line.startsWith(HEAD)) throw new Error();
    told = JSON.parse(line.slice(HEAD.length));
  } catch {
    throw new Error(`${file.name} is not a router that this page saved`);
  }
  if (told.lab !== lab) throw new Error(`${file.name} is a router of the lab ${told.lab}`);
  if (told.fits !== fits) {
    throw new Error(`${file.name} was saved by ${told.fits}; this page has ${fits}`);
  }
  return { ...told, content: content.slice(end + 1) };
}
