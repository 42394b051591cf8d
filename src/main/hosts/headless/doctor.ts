import { execFile } from 'node:child_process';
import type { SettingsProblem } from '../../../shared/settings';
import type { SandboxAvailability } from '../../engine/ports-sandbox';

/** One line of the report. `bad` means: something will not work. */
export interface Finding {
  readonly label: string;
  readonly state: 'good' | 'note' | 'bad';
  readonly text: string;
}

/** What the examination looks at. */
export interface DoctorParts {
  readonly version: string;
  readonly root: string;
  readonly latheHome: string;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly folder: string;
  /** Where the bundled ripgrep is. Throws when it is not installed. */
  ripgrep(): string;
  /** How a key that was entered is kept, and whether there is one. Never the key. */
  storedKey(): Promise<{ readonly storage: string; readonly present: boolean }>;
  /** Whether commands can be put into a sandbox here. */
  lookForSandbox(): Promise<SandboxAvailability>;
  /** What is wrong in the settings files that apply to the folder. */
  settingsProblems(): Promise<readonly SettingsProblem[]>;
}

/** A helper that takes longer than this is broken. Milliseconds. */
const PROBE_MS = 10_000;

/** Looks at everything Lathe depends on. */
export async function examine(parts: DoctorParts): Promise<readonly Finding[]> {
  const findings = await Promise.all([
    versions(parts),
    terminals(parts),
    ripgrep(parts),
    git(),
    sandbox(parts),
    key(parts),
    settings(parts),
  ]);
  return findings.flat();
}

/** The report as lines for a person. */
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

async function terminals({ root }: DoctorParts): Promise<Finding[]> {
  const probe = await run(process.execPath, ['-e', "require('node-pty')"], root);
  return [
    probe.ok
      ? { label: 'Terminals', state: 'good', text: 'node-pty loads' }
      : { label: 'Terminals', state: 'bad', text: `node-pty does not load: ${probe.text}` },
  ];
}

async function ripgrep({ ripgrep: locate, root }: DoctorParts): Promise<Finding[]> {
  try {
    const probe = await run(locate(), ['--version'], root);
    return [
      probe.ok
        ? { label: 'Search', state: 'good', text: firstLine(probe.text) }
        : { label: 'Search', state: 'bad', text: `ripgrep does not run: ${probe.text}` },
    ];
  } catch {
    return [{ label: 'Search', state: 'bad', text: 'ripgrep is not installed; run npm ci' }];
  }
}

async function git(): Promise<Finding[]> {
  const probe = await run('git', ['--version'], '/');
  return [
    probe.ok
      ? { label: 'Git', state: 'good', text: firstLine(probe.text) }
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

async function settings({ settingsProblems, folder }: DoctorParts): Promise<Finding[]> {
  const problems = await settingsProblems();
  if (problems.length === 0)
    return [{ label: 'Settings', state: 'good', text: `no problems in ${folder}` }];
  return problems.map(({ file, line, message, level }) => ({
    label: 'Settings',
    state: level === 'error' ? 'bad' : 'note',
    text: `${line === undefined ? file : `${file}:${line}`}: ${message}`,
  }));
}

interface Probe {
  readonly ok: boolean;
  readonly text: string;
}

function run(program: string, args: readonly string[], cwd: string): Promise<Probe> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, timeout: PROBE_MS }, (error, stdout, stderr) => {
      if (error === null) return resolve({ ok: true, text: stdout });
      const text = firstLine(stderr) || error.message;
      resolve({ ok: false, text });
    });
  });
}

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';
