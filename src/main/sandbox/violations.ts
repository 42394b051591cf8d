import type { SandboxViolation } from '../engine/ports-sandbox';

/** More of them tell nobody anything. */
const MAX_VIOLATIONS = 10;

/** What the library notes of a command, as facts: `deny openat /etc/x`, `deny network-outbound host:443 (why)`. */
export function readViolations(lines: readonly string[]): readonly SandboxViolation[] {
  const found = new Map<string, SandboxViolation>();
  for (const line of lines) {
    const violation = readViolation(line);
    if (violation) found.set(`${violation.kind} ${violation.target}`, violation);
    if (found.size === MAX_VIOLATIONS) break;
  }
  return [...found.values()];
}

function readViolation(line: string): SandboxViolation | null {
  const network = /^deny network-outbound (\S+)(?: \((.*)\))?$/.exec(line);
  if (network) {
    const [, target = '', reason] = network;
    return { kind: 'connect', target, ...(reason === undefined ? {} : { reason }) };
  }
  const [, syscall = '', target = ''] = /^deny (\S+) (\/.*)$/.exec(line) ?? [];
  // Devices and the like are noted although they are let through.
  const isNoise = target === '' || /^\/(dev|proc|sys)(\/|$)/.test(target);
  return isNoise || syscall.startsWith('file-read') ? null : { kind: 'write', target };
}
