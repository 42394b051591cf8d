/**
 * Node can write a report when it crashes or is asked to (`NODE_OPTIONS=--report-…`), and puts the whole environment into
 * it. From now on this process leaves that out: it holds keys (THREATS 13).
 */
export function keepKeysOutOfReports(): void {
  const report: NodeJS.ProcessReport | undefined = process.report;
  // Node's types do not know the property yet (it came with 22.13).
  if (report) Reflect.set(report, 'excludeEnv', true);
}
