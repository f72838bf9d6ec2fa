// Asks Perfetto's own trace processor: node perfetto_query.js FOLDER TRACE QUERY...
// FOLDER holds engine_bundle.js and trace_processor.wasm; prints one JSON list of whole numbers a query.
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [folder, trace, ...queries] = process.argv.slice(2);
const LOAD = 1, FINISH = 2, QUERY = 3; // TraceProcessorRpc.TraceProcessorMethod

// The engine believes it is a web worker: give it the little of a browser that it uses.
function browser() {
  const file = (address) => fs.readFileSync(path.join(folder, path.basename(String(address))));
  const world = {
    console: { log() {}, warn() {}, error() {}, info() {}, debug() {} },
    setTimeout, clearTimeout, TextDecoder, TextEncoder, performance, URL, Response, queueMicrotask,
    crypto: globalThis.crypto,
    importScripts() {},
    addEventListener() {},
    location: { href: "file:///engine_bundle.js" },
    WorkerGlobalScope: function () {},
    ErrorEvent: function () {},
    PromiseRejectionEvent: function () {},
    fetch: async (address) => new Response(file(address), { headers: { "Content-Type": "application/wasm" } }),
    XMLHttpRequest: function () {
      this.open = (method, address) => { this.address = address; };
      this.setRequestHeader = () => {};
      this.send = () => {
        const content = file(this.address);
        this.response = content.buffer.slice(content.byteOffset, content.byteOffset + content.length);
        this.status = 200;
      };
    },
  };
  world.self = world;
  return vm.createContext(world);
}

function varint(number) {
  const bytes = [];
  let rest = BigInt(number);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}
const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field, value) => Buffer.concat([varint((field << 3) | 2), varint(value.length), value]);

// [field, value] of every field of a message; values are BigInts or Buffers.
function* fields(message) {
  let at = 0;
  const next = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(next());
    if ((tag & 7) === 0) yield [tag >> 3, next()];
    else if ((tag & 7) === 2) {
      const length = Number(next());
      yield [tag >> 3, message.subarray(at, (at += length))];
    } else throw new Error(`wire type ${tag & 7}`);
  }
}
const all = (message, field) => [...fields(message)].filter(([found]) => found === field).map(([, value]) => value);

function* varints(packed) {
  for (let at = 0, value = 0n, shift = 0n; at < packed.length; at++) {
    value |= BigInt(packed[at] & 127) << shift;
    shift += 7n;
    if (packed[at] < 128) {
      yield Number(value);
      value = shift = 0n;
    }
  }
}

async function main() {
  const world = browser();
  vm.runInContext(fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"), world);
  const Bytes = vm.runInContext("Uint8Array", world);
  const answers = new Map();
  const port = {
    postMessage(content) {
      for (const message of all(Buffer.from(content), 1)) {
        const kind = Number(all(message, 3)[0] ?? 0n);
        answers.set(kind, [...(answers.get(kind) ?? []), message]);
      }
    },
  };
  world.onmessage({ data: port });
  const until = async (ready) => {
    for (let waited = 0; !ready(); waited += 10) {
      if (waited > 60000) throw new Error("the trace processor does not answer");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  let sequence = 0;
  const send = (...parts) => {
    const frame = bytes(1, Buffer.concat([number(1, sequence++), ...parts]));
    const content = new Bytes(frame.length);
    content.set(frame);
    port.onmessage({ data: content });
  };
  await until(() => port.onmessage);
  await new Promise((resolve) => setTimeout(resolve, 500));
  send(number(2, LOAD), bytes(101, fs.readFileSync(trace)));
  send(number(2, FINISH));
  await until(() => answers.has(FINISH));
  for (const query of queries) send(number(2, QUERY), bytes(103, bytes(1, Buffer.from(query))));
  await until(() => (answers.get(QUERY) ?? []).length >= queries.length);
  for (const message of answers.get(QUERY)) {
    const result = all(message, 203)[0];
    const error = all(result, 2)[0];
    if (error && error.length) throw new Error(error.toString());
    const cells = all(result, 3).flatMap((batch) => all(batch, 2).flatMap((packed) => [...varints(packed)]));
    console.log(JSON.stringify(cells));
  }
  process.exit(0);
}

main().catch((error) => {
  console.error(String(error.message ?? error));
  process.exit(1);
});
