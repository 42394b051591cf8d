#!/usr/bin/env node
import { keepCompiledCode, keepHeapSmall, keepKeysOutOfReports } from './node/runtime';
import { reached } from './node/startup';

keepKeysOutOfReports();
keepHeapSmall();
// Before anything else is loaded: what came earlier would be compiled anew at every start.
keepCompiledCode(import.meta.dirname);
const { runCommandLine } = await import('./command-line');
reached('command line loaded');
await runCommandLine(import.meta.dirname, process.argv.slice(2));
