import { describe, expect, it } from "vitest";
import { diagnose } from "../../packages/core/src/diagnose/index.ts";
import { isStation, layoutOf, SIZE } from "../../packages/web/src/picture/layout.ts";
import { columns, wrapText } from "../../packages/web/src/picture/wrap.ts";
import { branchView } from "../../packages/web/src/view/leg.ts";
import { bundledCases } from "../cases/bundled.ts";

describe.each(bundledCases())("the picture of $name", ({ askable }) => {
  const { branches, world } = diagnose(askable, {}).inquiry.exploration;
  const views = branches.map((b, i) => branchView(b, i, (f, l) => askable.quote(f, l), world, "en"));
  const layouts = views.map(layoutOf);

  it("has a lane for every stack the packet met, and nothing beyond its edges", () => {
    for (const { lanes, legs, width, height, laneWidth } of layouts) {
      const met = new Set(legs.flatMap(({ leg }) => leg.steps.map((s) => s.stack)));
      for (const stack of met) expect(lanes.map((l) => l.stack)).toContain(stack);
      for (const lane of lanes) {
        expect(lane.x - laneWidth / 2).toBeGreaterThanOrEqual(0);
        expect(lane.x + laneWidth / 2).toBeLessThanOrEqual(width);
      }
      for (const { rows } of legs) for (const row of rows) expect(row.y + row.height).toBeLessThan(height);
    }
  });

  it("lets time run downwards, and no two places overlap", () => {
    for (const { legs } of layouts) {
      const rows = legs.flatMap((l) => l.rows);
      for (const [i, row] of rows.entries())
        if (i > 0) expect(row.y).toBeGreaterThanOrEqual(rows[i - 1]!.y + rows[i - 1]!.height);
    }
  });

  it("keeps what stands in a box inside of it", () => {
    for (const { legs, laneWidth } of layouts)
      for (const row of legs.flatMap((l) => l.rows))
        if (isStation(row))
          for (const line of row.lines) expect(columns(line) * SIZE.char).toBeLessThanOrEqual(laneWidth - 28);
  });

  it("follows one way: every place is where the one before led to", () => {
    for (const { legs } of views) {
      for (const { rows } of legs) {
        let at: string | undefined;
        for (const row of rows) {
          const from = row.type === "station" ? row.stack : row.from;
          if (at !== undefined) expect(from).toBe(at);
          at = row.type === "station" ? row.stack : row.to;
        }
      }
    }
  });

  it("leaves no step out, and takes none twice", () => {
    for (const { legs } of views) {
      for (const { rows, steps } of legs) {
        const covered = rows.flatMap((r) =>
          Array.from({ length: r.steps[1] - r.steps[0] + 1 }, (_, i) => r.steps[0] + i),
        );
        expect(new Set(covered).size).toBeGreaterThanOrEqual(covered.length - 1);
        const quiet = steps.filter((s, i) => !covered.includes(i) && s.type !== "arp" && s.type !== "transmit");
        expect(quiet).toEqual([]);
      }
    }
  });

  it("says what was translated where it was", () => {
    for (const { legs } of views) {
      for (const leg of legs) {
        for (const [i, step] of leg.steps.entries()) {
          if (step.type !== "nat") continue;
          const place = leg.rows.find((r) => r.steps[0] <= i && i <= r.steps[1]);
          expect(place?.type === "station" && place.notes.some((n) => /^(?:src|dst) .* → /.test(n))).toBe(true);
        }
      }
    }
  });
});

describe("text in a box", () => {
  it("breaks at blanks, breaks words that are too long, and is cut with an ellipsis", () => {
    expect(wrapText("one two three", 7, 3)).toEqual(["one two", "three"]);
    expect(wrapText("abcdefghij", 4, 3)).toEqual(["abcd", "efgh", "ij"]);
    expect(wrapText("a b c d e f", 3, 2)).toEqual(["a b", "c …"]);
    expect(wrapText("数据包死在哪里", 6, 3)).toEqual(["数据包", "死在哪", "里"]);
    expect(wrapText("", 6, 3)).toEqual([]);
  });
});
