import type { SandboxStatus } from '../../shared/settings';
import type { Sandbox } from '../engine/ports-sandbox';
import type { EffectiveSettings } from '../engine/settings/effective';

/** What a window tells of the sandbox of a project. The system is only looked at when the sandbox is wanted. */
export async function sandboxStatus(
  { sandbox: chosen, additionalDirectories }: EffectiveSettings,
  sandbox: Sandbox,
): Promise<SandboxStatus> {
  const facts = {
    autoAllow: chosen?.autoAllow ?? true,
    allowWrite: [...additionalDirectories, ...(chosen?.allowWrite ?? [])],
    allowedDomains: [...(chosen?.allowedDomains ?? [])],
    excludedCommands: [...(chosen?.excludedCommands ?? [])],
  };
  if (!chosen?.enabled) return { state: 'off', ...facts };
  const found = await sandbox.availability();
  switch (found.state) {
    case 'ready':
      return { state: 'on', ...facts };
    case 'weaker':
      return chosen.weakerNested
        ? { state: 'on', why: found.why, ...facts }
        : { state: 'missing', why: found.why, fix: found.fix, ...facts };
    case 'missing':
      return { state: 'missing', why: found.why, fix: found.fix, ...facts };
  }
}
