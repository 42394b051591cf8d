import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests that start programs, terminals, threads or a browser. */
const PROCESS_TESTS = 'test/**/*.process.test.ts';
/** Those that run the app in their own process, and put a double in the place of its variables, paths and files. */
const DOUBLE_TESTS = 'test/electron-double/*.process.test.ts';

export default defineConfig({
  test: {
    // Tests of processes mostly wait for one: with two more, no processor is idle meanwhile.
    maxWorkers: availableParallelism() + 2,
    fsModuleCache: true,
    // For what hangs, on a machine in use too. Milliseconds.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // Nothing in `src` keeps state in modules (test/arch), so files share the modules a worker has loaded.
    isolate: false,
    setupFiles: ['test/support/own-environment.ts'],
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // These hardly wait: more workers would load and warm up the same modules once more, which takes longer.
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 1 },
          include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
          exclude: ['test/e2e/**', PROCESS_TESTS],
          setupFiles: ['test/support/unit-only.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'process', include: [PROCESS_TESTS], exclude: [DOUBLE_TESTS] },
      },
      {
        extends: true,
        test: { name: 'double', include: [DOUBLE_TESTS], isolate: true },
      },
    ],
  },
});
