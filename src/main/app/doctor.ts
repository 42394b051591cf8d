import type { Finding } from '../../shared/health';
import type { SettingsProblem } from '../../shared/settings';
import { problemLine } from '../../shared/settings-problem';
import type { Programs } from '../engine/ports';
import type { SandboxAvailability } from '../engine/ports-sandbox';
import { freeSpace, openFilesLimit } from '../node/host-health';

/** The parts that the examination looks at. */
export interface DoctorParts {
  readonly version: string;
  readonly latheHome: string;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly folder: string;
  /** Loads what terminals need, in a process of its own. */
  readonly terminalProbe: {
    readonly argv: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  /** Runs what is looked for, without our keys in its environment. */
  readonly programs: Programs;
  /** Returns how a key that was entered is kept, and whether there is one. Never the key. */
  storedKey(): Promise<{ readonly storage: string; readonly present: boolean }>;
  /** Returns whether commands can be put into a sandbox here. */
  lookForSandbox(): Promise<SandboxAvailability>;
  /** Returns what is ignored or guessed in the settings and memory files that apply to the folder. */
  configurationProblems(): Promise<readonly SettingsProblem[]>;
}

/** A helper that takes longer than this is broken. Milliseconds. */
const PROBE_MS = 10_000;
/** Under the first nothing can be kept for long, under the second it is worth a look. Bytes. */
const TIGHT_DISK = 50e6;
const LOW_DISK = 1e9;
/** A terminal, a tool server and a connection take some each; fewer than this are soon used up. */
const FEW_FILES = 512;

/** Looks at everything Lathe depends on. */
export async function examine(parts: DoctorParts): Promise<readonly Finding[]> {
  const findings = await Promise.all([
    versions(parts),
    terminals(parts),
    resources(parts),
    ripgrep(parts),
    git(parts),
    sandbox(parts),
    key(parts),
    settings(parts),
  ]);
  return findings.flat();
}

/** Returns the report as lines for a user. */
export const reportLines = (findings: readonly Finding[]): string[] => {
  const width = Math.max(...findings.map(({ label }) => label.length));
  const marks = { good: '✓', note: '·', bad: '✗' };
  return findings.map(
    ({ state, label, text }) => `${marks[state]} ${label.padEnd(width)}  ${text}`,
  );
};

async function versions({ version, latheHome, platform }: DoctorParts): Promise<Finding[]> {
  return [
    { label: 'Lathe', state: 'good', text: `${version}, home ${latheHome}` },
    { label: 'Node', state: 'good', text: `${process.version} on ${platform} ${process.arch}` },
  ];
}

async function terminals({ terminalProbe, programs }: DoctorParts): Promise<Finding[]> {
  const found = await probe(programs, terminalProbe.argv, terminalProbe.env);
  return [
    found.ok
      ? { label: 'Terminals', state: 'good', text: 'node-pty loads' }
      : { label: 'Terminals', state: 'bad', text: `node-pty does not load: ${found.text}` },
  ];
}

/** Room on the disk and files that may be open: what long work runs out of. */
async function resources({ latheHome }: DoctorParts): Promise<Finding[]> {
  const free = await freeSpace(latheHome);
  const limit = openFilesLimit();
  return [
    ...(free === null
      ? []
      : [
          {
            label: 'Disk',
            state: free < TIGHT_DISK ? 'bad' : free < LOW_DISK ? 'note' : 'good',
            text: `${(free / 1e9).toFixed(1)} GB free where conversations are kept`,
          } as const,
        ]),
    ...(limit === null
      ? []
      : [
          {
            label: 'Open files',
            state: limit < FEW_FILES ? 'note' : 'good',
            text: `up to ${limit}${limit < FEW_FILES ? '; raise it with ulimit -n' : ''}`,
          } as const,
        ]),
  ];
}

async function ripgrep({ programs }: DoctorParts): Promise<Finding[]> {
  try {
    const found = await probe(programs, [programs.ripgrep, '--version']);
    return [
      found.ok
        ? { label: 'Search', state: 'good', text: firstLine(found.text) }
        : { label: 'Search', state: 'bad', text: `ripgrep does not run: ${found.text}` },
    ];
  } catch {
    return [{ label: 'Search', state: 'bad', text: 'ripgrep is not installed; run npm ci' }];
  }
}

async function git({ programs }: DoctorParts): Promise<Finding[]> {
  const found = await probe(programs, ['git', '--version']);
  return [
    found.ok
      ? { label: 'Git', state: 'good', text: firstLine(found.text) }
      : { label: 'Git', state: 'note', text: 'not found; branches are not shown' },
  ];
}

async function sandbox({ lookForSandbox }: DoctorParts): Promise<Finding[]> {
  const found = await lookForSandbox();
  if (found.state === 'ready') {
    return [
      { label: 'Sandbox', state: 'good', text: 'works; commands run in it with sandbox.enabled' },
    ];
  }
  const text = `${found.why} ${found.fix} Until then rules and questions apply.`;
  return [{ label: 'Sandbox', state: 'note', text }];
}

async function key({ env, storedKey }: DoctorParts): Promise<Finding[]> {
  const endpoint = env['ANTHROPIC_BASE_URL'] ? `, sent to ${env['ANTHROPIC_BASE_URL']}` : '';
  for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'])
    if (env[name]) return [{ label: 'Key', state: 'good', text: `from ${name}${endpoint}` }];
  const { storage, present } = await storedKey();
  return [
    present
      ? { label: 'Key', state: 'good', text: `stored in ${storage}${endpoint}` }
      : {
          label: 'Key',
          state: 'note',
          text: `none; set ANTHROPIC_API_KEY or enter one in the app (kept in ${storage})`,
        },
  ];
}

async function settings({ configurationProblems, folder }: DoctorParts): Promise<Finding[]> {
  const problems = await configurationProblems();
  if (problems.length === 0)
    return [{ label: 'Settings', state: 'good', text: `no problems in ${folder}` }];
  return problems.map((problem) => ({
    label: 'Settings',
    state: problem.level === 'error' ? 'bad' : 'note',
    text: problemLine(problem),
  }));
}

interface Probe {
  readonly ok: boolean;
  readonly text: string;
}

async function probe(
  programs: Programs,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Probe> {
  const ran = await programs.run(argv, {
    ...{ cwd: '/', maxBytes: 64_000, timeoutMs: PROBE_MS, env },
  });
  if (!ran.ok) return { ok: false, text: ran.error.message };
  const { exitCode, stdout, stderr } = ran.value;
  if (exitCode === 0) return { ok: true, text: new TextDecoder().decode(stdout) };
  return { ok: false, text: firstLine(stderr) || `exit code ${exitCode}` };
}

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';
