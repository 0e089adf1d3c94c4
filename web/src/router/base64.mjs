/** Bytes in base64: piece by piece, as a table of thousands of routes is more than a call takes
 *  arguments. */
export function base64(bytes) {
  let letters = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    letters += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(letters);
}
