import type { SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime';
import type { SandboxPolicy } from '../engine/ports-sandbox';
import { protectedPaths } from './protected-paths';
import type { SandboxTools } from './protocol';

/** What the library is told. A name with `*` or `[` in it is a name, except where patterns are meant. */
export function runtimeConfig(
  policy: SandboxPolicy,
  tools: SandboxTools,
  temp: string,
  applyPath: string | null,
): SandboxRuntimeConfig {
  const named = (path: string) => ({ path, literal: true as const });
  return {
    network: {
      allowedDomains: [...policy.allowedDomains],
      deniedDomains: [...policy.deniedDomains],
      allowLocalBinding: policy.allowLocalBinding,
      allowAllUnixSockets: policy.allowAllUnixSockets,
    },
    filesystem: {
      denyRead: [...policy.denyRead],
      allowRead: [...policy.allowRead],
      allowWrite: [...policy.writable, temp].map(named),
      denyWrite: [...protectedPaths(policy.writable), ...policy.denyWrite].map(named),
    },
    enableWeakerNestedSandbox: policy.weakerNested,
    // Commands run in a terminal of ours; on macOS that has to be allowed.
    allowPty: true,
    ripgrep: { command: tools.ripgrep },
    ...(tools.bwrap === undefined ? {} : { bwrapPath: tools.bwrap }),
    ...(tools.socat === undefined ? {} : { socatPath: tools.socat }),
    ...(applyPath === null ? {} : { seccomp: { applyPath } }),
  };
}
