const HEAD = ['name', 'lathe', 'floor', 'ratio', 'budget', 'ok'];

/** The rows of `measure` as a table for a terminal. */
export function table(rows) {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  return cells
    .map((row) =>
      row
        .map((text, i) => (i === 0 ? text.padEnd(widths[i]) : text.padStart(widths[i])))
        .join('  '),
    )
    .join('\n');
}

const cellsOf = ({ name, unit, lathe, floor, ratio, budget, ok, absolute }) => [
  name,
  `${figure(lathe)} ${unit}`,
  floor === null ? '' : `${figure(floor)} ${unit}`,
  ratio === null ? '' : `${ratio.toFixed(2)}×`,
  ratio === null || absolute ? `${figure(budget)} ${unit}` : `${figure(budget)}×`,
  ok ? 'yes' : 'NO',
];

const figure = (value) =>
  Math.abs(value) < 100 ? String(Math.round(value * 10) / 10) : String(Math.round(value));

/** A row whose figure is held against the budget itself. */
export const row = (name, unit, lathe, budget) => ({
  ...{ name, unit, lathe, floor: null, ratio: null, budget },
  ok: lathe <= budget,
  absolute: true,
});

/** Returns the median of numbers; of an even count the upper of the two in the middle. */
export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
