import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime';
import type { SandboxPolicy, SigningPolicy } from '../engine/ports-sandbox';
import type { SandboxTools } from './protocol';

/** Returns the library's configuration. A name with `*` or `[` in it is a name, except where patterns are meant. */
export function runtimeConfig(
  policy: Omit<SandboxPolicy, 'programs' | 'masked' | 'maskedFiles' | 'awsPairs'>,
  tools: SandboxTools,
  temp: string,
  applyPath: string | null,
): SandboxRuntimeConfig {
  const { http, socks } = policy.proxyPorts;
  const { command, args } = tools.ripgrep;
  const named = (path: string) => ({ path, literal: true as const });
  return {
    network: {
      allowedDomains: [...policy.allowedDomains],
      deniedDomains: [...policy.deniedDomains],
      allowLocalBinding: policy.allowLocalBinding,
      allowAllUnixSockets: policy.allowAllUnixSockets,
      strictAllowlist: policy.strictAllowlist,
      allowUnixSockets: [...policy.allowUnixSockets],
      allowMachLookup: [...policy.allowMachLookup],
      ...(policy.tlsTerminate === null
        ? {}
        : // A host must not be handed the request, and the key in it, that is meant for another.
          { tlsTerminate: { ...policy.tlsTerminate }, requireHostMatch: true }),
      ...(http === undefined ? {} : { httpProxyPort: http }),
      ...(socks === undefined ? {} : { socksProxyPort: socks }),
    },
    filesystem: {
      ...(policy.withoutFileWalls ? { disabled: true } : {}),
      denyRead: [...policy.denyRead],
      allowRead: [...policy.allowRead],
      allowWrite: [...policy.writable, temp].map(named),
      denyWrite: [...protectedPaths(policy.writable), ...policy.denyWrite].map(named),
    },
    credentials: {
      envVars: policy.withheldVariables.map((name) => ({ name, mode: 'deny' as const })),
      ...(policy.plaintextInject ? { allowPlaintextInject: true } : {}),
      sigv4: signingOf(policy.sigv4),
    },
    enableWeakerNestedSandbox: policy.weakerNested,
    enableWeakerNetworkIsolation: policy.weakerNetwork,
    allowNestedUserNamespaces: policy.nestedNamespaces,
    allowAppleEvents: policy.appleEvents,
    // Commands run in a terminal of ours; on macOS that has to be allowed.
    allowPty: true,
    ripgrep: { command, ...(args === undefined ? {} : { args: [...args] }) },
    ...(tools.bwrap === undefined ? {} : { bwrapPath: tools.bwrap }),
    ...(tools.socat === undefined ? {} : { socatPath: tools.socat }),
    ...(applyPath === null ? {} : { seccomp: { applyPath } }),
  };
}

const signingOf = ({ streaming = 'deny', presigned = 'deny', sigv4a = 'deny' }: SigningPolicy) => ({
  ...{ streaming, presigned, sigv4a },
});

/**
 * Files that must not be made or changed inside the sandbox in any writable folder, whether they exist or not: programs
 * run what these say, outside (docs/security.md 16). The library adds shell rc files, `.gitconfig`, `.gitmodules`, `.mcp.json`,
 * `.vscode`, `.idea` and git's hooks, but only for the folder it was started in.
 */
const ALWAYS: readonly string[] = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/commands',
  '.claude/agents',
  '.claude/skills',
  '.claude/hooks',
  '.mcp.json',
  '.envrc',
  '.bashrc',
  '.bash_profile',
  '.profile',
  '.zshrc',
  '.zprofile',
  '.zshenv',
  '.gitconfig',
  '.gitmodules',
  '.vscode',
  '.idea',
];

/** The same for files that exist: denying absent ones too would show placeholders nobody expects. */
const WHEN_PRESENT: readonly string[] = [
  '.husky',
  '.githooks',
  '.devcontainer',
  '.cargo',
  '.npmrc',
  '.yarnrc.yml',
  '.pre-commit-config.yaml',
  'lefthook.yml',
  '.bash_login',
  '.bash_aliases',
  '.zlogin',
  '.ripgreprc',
  '.tool-versions',
  'mise.toml',
  '.mise.toml',
];

/** Inside a repository's own folder; there is nothing to protect where there is no repository. */
const OF_GIT: readonly string[] = ['.git/config', '.git/hooks'];

/** Returns the paths that no command may write in these folders. */
export function protectedPaths(writable: readonly string[]): readonly string[] {
  return writable.flatMap((folder) => {
    const present = WHEN_PRESENT.filter((name) => existsSync(join(folder, name)));
    const git = existsSync(join(folder, '.git')) ? OF_GIT : ['.git/config'];
    const named = [...ALWAYS, ...present, ...git].map((name) => join(folder, name));
    return [...named, ...repositoriesBelow(join(folder, '.git'))];
  });
}

/** Returns git's own files in the repositories of submodules and worktrees, which lie inside the one they belong to. */
function repositoriesBelow(gitFolder: string): readonly string[] {
  const worktrees = foldersIn(join(gitFolder, 'worktrees'));
  const modules = modulesIn(join(gitFolder, 'modules'), MAX_MODULE_DEPTH);
  return [
    ...worktrees.flatMap((folder) => [join(folder, 'commondir'), join(folder, 'gitdir')]),
    ...modules.flatMap((folder) => [join(folder, 'config'), join(folder, 'hooks')]),
  ].filter((path) => existsSync(path));
}

/** A submodule is named by its path, so its repository may lie some folders down. */
const MAX_MODULE_DEPTH = 4;

function modulesIn(folder: string, depth: number): readonly string[] {
  if (depth === 0) return [];
  return foldersIn(folder).flatMap((inner) =>
    existsSync(join(inner, 'config')) ? [inner] : modulesIn(inner, depth - 1),
  );
}

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}
