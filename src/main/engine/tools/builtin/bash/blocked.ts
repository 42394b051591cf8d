import type { SandboxViolation } from '../../../ports-sandbox';

/** What the sandbox did not let a command do, and what the model may do about it. */
export interface BlockedReport {
  readonly violations: readonly SandboxViolation[];
  readonly failed: boolean;
  readonly mayLeave: boolean;
}

/** An act in words: "writing /etc/hosts", "reaching example.com:443". */
export const actText = ({ kind, target }: SandboxViolation): string =>
  `${kind === 'write' ? 'writing' : 'reaching'} ${target}`;

/** How programs complain where the system does not say what was refused: files, then hosts. */
const COMPLAINT =
  /Read-only file system|Operation not permitted|Permission denied|EROFS|EACCES|EPERM|Connection refused|Network is unreachable|(?:Couldn't|Could not) (?:connect|resolve)|name resolution|ECONNREFUSED|ENETUNREACH|ENOTFOUND|EAI_AGAIN/i;

/** What the model is told; null when there is nothing to tell. */
export function blockedReport(
  { violations, failed, mayLeave }: BlockedReport,
  text: string,
): string | null {
  if (violations.length === 0) {
    if (!failed || !COMPLAINT.test(text)) return null;
    return `It ran in the sandbox, which may be why it was refused. ${advice(mayLeave)}`;
  }
  const acts = violations.map((violation) =>
    violation.reason ? `${actText(violation)} (${violation.reason})` : actText(violation),
  );
  const said = `The sandbox did not allow: ${acts.join('; ')}.`;
  return failed ? `${said} ${advice(mayLeave)}` : said;
}

const advice = (mayLeave: boolean): string =>
  `Commands in it can write in the working directories and in $TMPDIR, except files that make programs run something, and reach only hosts that were allowed.${
    mayLeave
      ? ' If the command has to do this, run it again with dangerouslyDisableSandbox: true; the person is asked. Otherwise find another way.'
      : ' Find another way, or say what would have to be allowed.'
  }`;
