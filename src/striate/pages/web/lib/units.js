// Quantities as people read them, three digits and a unit; the twin of `striate.units.about_*`.

function about(value, units) {
  let [unit, scale] = units[0];
  for (const larger of units) if (Math.abs(value) >= larger[1] * 0.9995) [unit, scale] = larger; // 999.7 us read 1 ms
  const scaled = value / scale;
  const digits = Math.abs(scaled) < 999.5 ? String(Number(scaled.toPrecision(3))) : grouped(Math.round(scaled));
  return `${digits} ${unit}`.trim();
}

const SECONDS = [["ps", 1e-12], ["ns", 1e-9], ["us", 1e-6], ["ms", 1e-3], ["s", 1]];
const SIZES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"].map((unit, power) => [unit, 1024 ** power]);
const RATES = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"].map((unit, power) => [unit, 1000 ** power]);

export function seconds(time) {
  if (!Number.isFinite(time)) return "unbounded";
  if (time === 0) return "0 s";
  if (Math.abs(time) < 6000) return about(time, SECONDS);
  const minutes = Math.round(time / 60);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  return days ? `${days} d ${hours} h` : `${hours} h ${minutes % 60} min`;
}

export function size(bytes) {
  return about(bytes, SIZES);
}

export function rate(bytesPerSecond) {
  return about(bytesPerSecond, RATES);
}

export function share(part) {
  return part > 0 && part < 0.001 ? "< 0.1 %" : `${(100 * part).toFixed(1)} %`;
}

// Digits in threes, by a narrow space, which no locale mistakes for a decimal point.
export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

// A moment on an axis that reaches to `largest` and whose ticks are `step` seconds apart: enough digits to tell them apart.
export function moment(time, step, largest = Math.abs(time)) {
  const [unit, scale] = [...SECONDS].reverse().find(([, size]) => largest >= size * 0.999) ?? SECONDS[0];
  const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(step / scale) + 1e-9)));
  const [whole, rest] = (time / scale).toFixed(digits).split(".");
  return `${grouped(whole)}${rest ? `.${rest}` : ""} ${unit}`;
}
