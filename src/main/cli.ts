#!/usr/bin/env node
async function main(): Promise<void> {
  // A Node that is too old cannot even load the rest. The package's own program goes on with the right one, or says what is missing.
  if (typeof Promise.withResolvers !== 'function')
    await import(new URL('../../bin/lathe.mjs', import.meta.url).href);
  const { keepCompiledCode, keepHeapSmall, keepKeysOutOfReports } = await import('./node/runtime');
  keepKeysOutOfReports();
  // Before anything else is loaded: what came earlier would be compiled anew at every start.
  keepCompiledCode(import.meta.dirname);
  const { hasReached, reached } = await import('./node/startup');
  keepHeapSmall(() => hasReached('first request'));
  const { runCommandLine } = await import('./command-line');
  reached('command line loaded');
  await runCommandLine(import.meta.dirname, process.argv.slice(2));
}

void main();
