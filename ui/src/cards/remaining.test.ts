import { describe, expect, it } from "vitest";

import { card } from "../testing/samples";
import { remaining } from "./remaining";

const NOW = 1_700_000_000_000;
const asked = (secondsLeft: number, more = {}) =>
  card({ createdAtMs: NOW - 100_000, expiresAtMs: NOW + secondsLeft * 1000, ...more });

describe("the time left", () => {
  it("is in minutes and seconds, and in hours where there are any", () => {
    expect(remaining(asked(761), 0, NOW).text).toBe("12:41");
    expect(remaining(asked(42), 0, NOW).text).toBe("0:42");
    expect(remaining(asked(3723), 0, NOW).text).toBe("1:02:03");
  });

  it("counts on the gateway's clock", () => {
    // The gateway is 30 s ahead, so the time is up sooner than this computer's clock says.
    expect(remaining(asked(90), 30_000, NOW).seconds).toBe(60);
    expect(remaining(asked(90), -30_000, NOW).seconds).toBe(120);
  });

  it("is urgent under a minute", () => {
    expect(remaining(asked(60), 0, NOW).urgent).toBe(false);
    expect(remaining(asked(59), 0, NOW).urgent).toBe(true);
  });

  it("says that it is up only when nothing is left, and stays up", () => {
    expect(remaining(asked(0.2), 0, NOW)).toMatchObject({ over: false, text: "0:01" });
    expect(remaining(asked(0), 0, NOW)).toMatchObject({ over: true, percent: 0 });
    expect(remaining(asked(-500), 0, NOW)).toMatchObject({ over: true, seconds: 0 });
  });

  it("is being checked when the core says so, whatever this clock says", () => {
    expect(remaining(asked(5, { state: { state: "checking" } }), 0, NOW).over).toBe(true);
  });
});
