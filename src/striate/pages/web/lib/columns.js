// Turns the bytes of a view back into typed arrays; `pages/columns.py` wrote them.

const ROUGH_STEPS = 32; // to a doubling

export async function inflate(text) {
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let at = 0; at < packed.length; at++) packed[at] = letters.charCodeAt(at);
  return inflateBytes(packed);
}

export async function inflateBytes(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
}

export function columnsOf(directory, buffer) {
  const columns = {};
  let at = 0;
  for (const { name, kind, rows, bytes } of directory) {
    columns[name] = kind === "double"
      ? new Float64Array(buffer.slice(at, at + bytes))
      : wholeNumbers(new Uint8Array(buffer, at, bytes), rows, kind === "steps");
    if (kind === "rough") columns[name] = columns[name].map((steps) => 2 ** (steps / ROUGH_STEPS) - 1);
    at += bytes;
  }
  return columns;
}

// Zigzag, seven bits a byte, lowest first. Sums stay exact below 2^53, as `pages/timeline/bars.py` chooses its ticks.
function wholeNumbers(bytes, rows, steps) {
  const values = new Float64Array(rows);
  let at = 0;
  let sum = 0;
  for (let row = 0; row < rows; row++) {
    let byte = bytes[at++];
    let number = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = bytes[at++];
      number += (byte & 127) * scale;
    }
    const value = number % 2 ? -(number + 1) / 2 : number / 2;
    sum = steps ? sum + value : value;
    values[row] = sum;
  }
  return values;
}
