import { err, ok } from '../../../../../shared/result';
import { shellRequest } from '../../../permissions/build-request';
import { whatGitRuns } from '../../../permissions/git-programs';
import type { PermissionRequest, ShellAnalysis } from '../../../permissions/request';
import { allowsCommand } from '../../../permissions/rule-match';
import { readRule } from '../../../permissions/rules';
import type { SandboxViolation } from '../../../ports-sandbox';
import type { ToolContext } from '../../environment';
import { missing, type Needs, type SandboxTerms } from '../../needs';

/** The placement of a command: inside the sandbox or outside. */
export interface SandboxPlacement {
  readonly inside: boolean;
  /** The model may ask to run it outside instead. */
  readonly mayLeave: boolean;
}

type ShellRequest = Extract<PermissionRequest, { kind: 'shell' }>;

/** Returns the needs of a tool that runs `command` in the shell. Rules for Bash hold, whichever tool it is. */
export const commandNeeds =
  (tool: string): Needs =>
  async (input, { parser, files, trusted, sandboxTerms, ...where }) => {
    const { command } = input;
    if (typeof command !== 'string') return err(missing(tool, 'command'));
    const request = await shellRequest(tool, command, where, parser, files);
    if (request.kind !== 'shell') return ok([request]);
    const { analysis, cwd } = request;
    const harm = trusted ? null : await whatGitRuns(analysis, cwd, files);
    const wantsOut = input['dangerouslyDisableSandbox'] === true;
    return ok([
      {
        ...request,
        ...placementOf(wantsOut, analysis, await sandboxTerms()),
        ...(harm === null ? {} : { gitRuns: harm }),
      },
    ]);
  };

/** Returns where a command is to run under these terms, as its permission is told. Pure. */
export function placementOf(
  wantsOut: boolean,
  analysis: ShellAnalysis,
  terms: SandboxTerms | null,
): Pick<ShellRequest, 'inside' | 'sandbox'> {
  if (terms === null) return {};
  if (wantsOut && terms.allowUnsandboxed) return { sandbox: 'left' };
  if (terms.excludedCommands.some((pattern) => excludes(pattern, analysis))) return {};
  return { inside: true, ...(terms.autoAllow ? { sandbox: 'vouches' } : {}) };
}

/** Returns where a call was allowed to run, whatever settings say by now. */
export async function decidedPlacement({
  decided,
  session: { sandbox },
}: ToolContext): Promise<SandboxPlacement> {
  const request = decided.find(({ kind }) => kind === 'shell');
  const inside = request?.kind === 'shell' && request.inside === true;
  return { inside, mayLeave: inside && (await sandbox.terms())?.allowUnsandboxed === true };
}

/** Tells whether a pattern (a command, with or without arguments) names one of the commands of a line. */
function excludes(pattern: string, analysis: ShellAnalysis): boolean {
  const texts = /[*:]/.test(pattern) ? [pattern] : [pattern, `${pattern} *`];
  const rules = texts.flatMap((text) => {
    const { parsed } = readRule({ behavior: 'allow', text: `Bash(${text})`, source: 'session' });
    return parsed ? [parsed] : [];
  });
  return analysis.commands.some((command) =>
    rules.some((rule) => allowsCommand(rule, command) !== 'none'),
  );
}

/** The acts that the sandbox did not let a command do, and whether the model may run it outside. */
export interface BlockedReport {
  readonly violations: readonly SandboxViolation[];
  readonly failed: boolean;
  readonly mayLeave: boolean;
}

/** Returns an act in words: "writing /etc/hosts", "reaching example.com:443". */
export const actText = ({ kind, target }: SandboxViolation): string =>
  `${kind === 'write' ? 'writing' : 'reaching'} ${target}`;

/** Complaints of programs where the system does not say what was refused: files, then hosts. */
const COMPLAINT =
  /Read-only file system|Operation not permitted|Permission denied|EROFS|EACCES|EPERM|Connection refused|Network is unreachable|(?:Couldn't|Could not) (?:connect|resolve)|name resolution|ECONNREFUSED|ENETUNREACH|ENOTFOUND|EAI_AGAIN/i;

/** Returns words for the model; null when there is nothing to tell. */
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
      ? ' If the command has to do this, run it again with dangerouslyDisableSandbox: true; the user is asked. Otherwise find another way.'
      : ' Find another way, or say what would have to be allowed.'
  }`;
