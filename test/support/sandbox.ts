import { spawnSync } from 'node:child_process';
import type {
  NetworkAnswer,
  NetworkQuestion,
  Sandbox,
  SandboxPolicy,
} from '../../src/main/engine/ports-sandbox';
import { createNodePrograms } from '../../src/main/node/programs';
import { createSandbox, lookForSandbox } from '../../src/main/sandbox/sandbox-client';
import { sandboxEnvironment } from '../../src/main/sandbox/sandbox-process';
import { buildSandboxHost } from './build-entry';

const looking = {
  platform: process.platform,
  path: process.env['PATH'] ?? '',
  programs: createNodePrograms(),
};

/** Returns and prints why there is no sandbox on this machine; null when there is one. */
export async function sandboxObstacle(): Promise<string | null> {
  const { availability } = await lookForSandbox(looking);
  if (availability.state === 'ready') return null;
  process.stderr.write(`Sandbox tests are left out: ${availability.why} ${availability.fix}\n`);
  return availability.why;
}

/** Returns why tests that reach servers out of the real sandbox are left out; null when they are not. */
export async function curlObstacle(): Promise<string | null> {
  const obstacle = await sandboxObstacle();
  if (obstacle !== null || spawnSync('curl', ['--version']).status === 0) return obstacle;
  process.stderr.write('Tests of masked keys are left out: curl is not installed.\n');
  return 'curl is not installed';
}

/** The real sandbox, its processes with a home of their own. */
export async function realSandbox(
  home: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Sandbox> {
  return createSandbox({
    ...looking,
    launch: {
      execPath: process.execPath,
      args: [await buildSandboxHost()],
      env: { ...sandboxEnvironment(process.env), ...env, HOME: home },
    },
  });
}

/** Returns a policy for what may be written; everything else is as when nobody set anything. */
export const policyFor = (
  writable: readonly string[],
  rest: Partial<SandboxPolicy> = {},
): SandboxPolicy => ({
  writable,
  denyWrite: [],
  denyRead: [],
  allowRead: [],
  allowedDomains: [],
  deniedDomains: [],
  proxyPorts: {},
  strictAllowlist: false,
  withheldVariables: [],
  masked: [],
  ...{ maskedFiles: [], awsPairs: [], sigv4: {}, plaintextInject: false, withoutFileWalls: false },
  tlsTerminate: null,
  weakerNested: false,
  weakerNetwork: false,
  nestedNamespaces: false,
  appleEvents: false,
  allowLocalBinding: false,
  allowAllUnixSockets: false,
  allowUnixSockets: [],
  allowMachLookup: [],
  ignoreViolations: {},
  programs: {},
  ...rest,
});

/** Answers questions about the network as told, and remembers them. */
export function answering(answer: (host: string) => NetworkAnswer) {
  const asked: NetworkQuestion[] = [];
  const ask = async (question: NetworkQuestion) => {
    asked.push(question);
    return answer(question.host);
  };
  return { asked, ask };
}
