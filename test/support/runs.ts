/** Returns the number of random cases to try: all of them, but a fifth in `npm run check`. */
export const runs = (all: number): number =>
  process.env['LATHE_QUICK'] === '1' ? Math.ceil(all / 5) : all;
