/** Median, 95th and 99th percentile and maximum, by nearest rank. */
export function summary(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const rank = share => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  return { p50: rank(0.5), p95: rank(0.95), p99: rank(0.99), max: rank(1) };
}
