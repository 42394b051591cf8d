/**
 * Returns the number of random cases to try: all of them, but a fifth in `npm run check`. `LATHE_RUNS=20` tries twenty times as
 * many, to look for what fails once in thousands of cases.
 */
export const runs = (all: number): number =>
  process.env['LATHE_QUICK'] === '1'
    ? Math.ceil(all / 5)
    : all * Number(process.env['LATHE_RUNS'] ?? 1);
