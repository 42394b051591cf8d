#!/usr/bin/env node
/** `npm run -s lathe -- …`: the command line from the sources. Standard output belongs to the command alone. */
import { launch } from './lib/launch.mjs';

await launch();
