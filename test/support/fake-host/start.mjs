// Development: `npx node test/support/fake-host/start.mjs` serves the screen over canned data.
import { runnerImport } from 'vite';

const { module } = await runnerImport(new URL('./main.ts', import.meta.url).pathname);
await module.main();
