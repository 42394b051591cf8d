import { join } from 'node:path';
import type { Result } from '../shared/result';
import type { Credentials } from './app/connection';
import type { HeadlessOptions } from './app/headless-session';
import type { PromptWorld } from './app/request-builder';
import type { SessionWorld } from './app/session-factory';
import type { TerminalBackend } from './app/terminal-desk';
import { price } from './engine/cost/price';
import { resolveModel } from './engine/model/catalog';
import { createModelClient, parseCustomHeaders } from './engine/model/create-client';
import type { ModelClient } from './engine/model/model-client';
import { decide } from './engine/permissions/decide';
import { createShellParser } from './engine/permissions/shell-analysis/parser';
import { createTrustStore, type TrustStore } from './engine/permissions/trust';
import type { LogWorld } from './engine/sessions/open-log';
import type { EffectiveSettings } from './engine/settings/effective';
import { loadSettings } from './engine/settings/load';
import { createBuiltinTools } from './engine/tools/builtin/all';
import { createRegistry } from './engine/tools/registry';
import { createNodeClock } from './node/clock';
import { createNodeFiles } from './node/files';
import { createNodeIds } from './node/ids';
import { createNodePrograms } from './node/programs';
import { createNodeRandom } from './node/random';
import { loadWasm } from './node/wasm';
import { createTerminalClient } from './terminal/client/terminal-client';
import { createShellEnv } from './terminal/shell-env';

type Environment = Readonly<Record<string, string | undefined>>;

export interface WorldOptions {
  readonly latheHome: string;
  readonly env: Environment;
  readonly version: string;
  readonly launchTerminalHost: {
    readonly execPath: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
}

/** Everything sessions share in one process. Nothing is started before it is used. */
export interface World extends SessionWorld, LogWorld, PromptWorld {
  readonly terminals: TerminalBackend;
}
