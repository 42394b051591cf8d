/** An argument vector as one shell line; each argument arrives byte for byte. */
export const quoteArguments = (argv: readonly string[]): string =>
  argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
