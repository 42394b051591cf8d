import path from 'node:path';
import type { ShellRole } from '../request';
import { codeIn } from './guesses';
import type { Word } from './words';

/**
 * Something a command starts: words of another command, or a script (null: known at run time only).
 */
export type Started =
  | { readonly kind: 'words'; readonly words: readonly Word[]; readonly role?: ShellRole }
  | { readonly kind: 'script'; readonly script: string | null; readonly role?: ShellRole }
  /** A text in which commands may stand, in another language: for denials only. */
  | { readonly kind: 'code'; readonly text: string };

export interface Unwrapped {
  readonly role?: ShellRole;
  readonly started: readonly Started[];
}

/** Wrappers that change nothing but when or how long: options without and with a value, operands before the command. */
const TRANSPARENT: Readonly<
  Record<string, { plain: RegExp; valued: RegExp; operands: number } | undefined>
> = {
  timeout: {
    plain: /^(--foreground|--preserve-status|-v|--verbose|-[ks].+|--(kill-after|signal)=.+)$/,
    valued: /^(-k|-s|--kill-after|--signal)$/,
    operands: 1,
  },
  time: { plain: /^-p$/, valued: /^$/, operands: 0 },
  nice: {
    plain: /^(-\d+|-n-?\d+|--adjustment=-?\d+)$/,
    valued: /^(-n|--adjustment)$/,
    operands: 0,
  },
  nohup: { plain: /^$/, valued: /^$/, operands: 0 },
  stdbuf: {
    plain: /^(-[ioe].+|--(input|output|error)=.+)$/,
    valued: /^(-[ioe]|--(input|output|error))$/,
    operands: 0,
  },
  command: { plain: /^-p$/, valued: /^$/, operands: 0 },
  builtin: { plain: /^$/, valued: /^$/, operands: 0 },
  noglob: { plain: /^$/, valued: /^$/, operands: 0 },
  xargs: { plain: /^$/, valued: /^$/, operands: 0 },
};

const SHELLS = new Set('bash sh zsh dash ksh mksh fish ash rbash busybox-sh'.split(' '));

/** Programs that run another one, with rights or surroundings of its own: rules must name them. */
const RUNNERS = new Set(
  (
    'sudo doas su runuser pkexec env xargs exec coproc chroot unshare nsenter chrt taskset cpulimit prlimit strace ltrace gdb valgrind perf script ' +
    'parallel ssh npx bunx pnpx uvx pipx direnv devbox mise asdf nix nix-shell busybox toybox systemd-run at batch entr watchexec nodemon tmux screen ' +
    'gosu su-exec setpriv tini dumb-init proxychains proxychains4 tsocks torsocks torify faketime eatmydata nocorrect - start-stop-daemon daemonize daemon setuidgid chpst softlimit envdir catchsegv numactl cgexec schedtool trickle stress-ng dtach abduco sem rush pexec xe apply socat caffeinate setarch linux32 linux64 proot fakeroot firejail bwrap dbus-run-session xvfb-run unbuffer rlwrap chronic ts hyperfine ' +
    'timeout time nice nohup stdbuf command builtin noglob'
  ).split(' '),
);

/** Programs that run another one after these words only. */
const RUNNER_WORDS: Readonly<Record<string, RegExp | undefined>> = {
  git: /^(bisect|submodule|rebase|filter-branch|-c|--config-env)$/,
  docker: /^(exec|run|compose)$/,
  podman: /^(exec|run)$/,
  nerdctl: /^(exec|run)$/,
  kubectl: /^(exec|run)$/,
  npm: /^(exec|x)$/,
  pnpm: /^(exec|dlx)$/,
  yarn: /^(exec|dlx)$/,
  bun: /^x$/,
  bundle: /^exec$/,
  poetry: /^run$/,
  uv: /^(run|tool)$/,
  rye: /^run$/,
  hatch: /^run$/,
  conda: /^run$/,
  rbenv: /^exec$/,
  pyenv: /^exec$/,
  nodenv: /^exec$/,
  fd: /^(-x|-X|--exec|--exec-batch)$/,
  fdfind: /^(-x|-X|--exec|--exec-batch)$/,
  rg: /^--pre$/,
};

/** Runners that no prefix rule may cover. */
const LAUNCHERS = new Set('watch setsid ionice flock'.split(' '));

/** Primaries of `find` that run, write or delete. */
const FIND_EXEC = /^-(exec|execdir|ok|okdir)$/;
const FIND_ACTION = /^-(exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls)$/;

/** Longer argument lists are not searched for every command they may start; the rest counts as unknown. */
const MAX_SUFFIXES = 40;

/**
 * Returns what a command starts, and its role in that. `stdin` is the text the line gives it as
 * input, if any.
 */
export function unwrap(words: readonly Word[], stdin: string | null | undefined): Unwrapped {
  const called = words[0]?.value ?? null;
  if (called === null) return { started: [] };
  const inner = startOfWrapped(called, words);
  if (inner !== null) {
    const rest = words.slice(inner);
    const given = called === 'xargs' ? wordsFromInput(rest, stdin) : [];
    return { role: 'wrapper', started: [{ kind: 'words', words: [...rest, ...given] }] };
  }
  const name = path.posix.basename(called);
  const code = codeIn(
    name,
    words.slice(1, MAX_SUFFIXES).map((word) => word.value),
  ).map((text): Started => ({ kind: 'code', text }));
  const found = startedBy(name, words, stdin);
  return { ...found, started: [...found.started, ...code] };
}

function startedBy(
  name: string,
  words: readonly Word[],
  stdin: string | null | undefined,
): Unwrapped {
  if (SHELLS.has(name)) return { started: shellScript(words, stdin) };
  switch (name) {
    case 'eval':
      return { started: [script(joined(words.slice(1)))] };
    case 'trap': {
      const action = words.slice(1).find((word) => !/^-(-|[lp]+)$/.test(word.value ?? ''));
      return { started: action ? [script(action.value)] : [] };
    }
    case 'at':
    case 'batch':
      return { started: typeof stdin === 'string' ? [inner(stdin)] : [UNKNOWN_SCRIPT] };
    case 'find':
      return unwrapFind(words);
    case 'source':
    case '.':
      return { started: isStream(words[1]) ? [UNKNOWN_SCRIPT, ...streamScript(stdin)] : [] };
    case 'mapfile':
    case 'readarray':
      return { started: words.flatMap((word, at) => callbackIn(word, words[at + 1])) };
  }
  if (name === 'command' && /^-[vV]$/.test(words[1]?.value ?? '')) return { started: [] };
  if (name === 'xargs') return { started: everySuffix(words, knownWords(words, stdin)) };
  if (LAUNCHERS.has(name)) return { role: 'launcher', started: everySuffix(words) };
  if (RUNNERS.has(name)) return { started: everySuffix(words) };
  const after = Object.hasOwn(RUNNER_WORDS, name) ? RUNNER_WORDS[name] : undefined;
  const at = after ? words.findIndex((word) => after.test(word.value ?? '')) : -1;
  return { started: at > 0 ? everySuffix(words.slice(at)) : [] };
}

/** Tells whether a script is a stream and no file: `<(…)`, `/dev/stdin`. */
const isStream = (word: Word | undefined): boolean =>
  /^\/(dev\/(stdin|fd\/)|proc\/self\/fd\/)/.test(word?.value ?? '');

const streamScript = (stdin: string | null | undefined): Started[] =>
  typeof stdin === 'string' ? [inner(stdin)] : [];

/** Returns the script of `mapfile -C`, which runs after a number of lines. */
function callbackIn(word: Word, next: Word | undefined): Started[] {
  const attached = /^-\w*C(.*)$/s.exec(word.value ?? '')?.[1];
  if (attached === undefined) return [];
  const text = attached === '' ? (next?.value ?? null) : attached;
  return [text === null ? UNKNOWN_SCRIPT : inner(text)];
}

/**
 * Returns the index of the wrapped command; null when it is no transparent wrapper, or one with
 * options we do not know.
 */
function startOfWrapped(called: string, words: readonly Word[]): number | null {
  const wrapper = Object.hasOwn(TRANSPARENT, called) ? TRANSPARENT[called] : undefined;
  if (!wrapper) return null;
  let i = 1;
  for (; i < words.length; i++) {
    const option = words[i]?.value ?? null;
    if (option === null) return null;
    if (option === '--') {
      i++;
      break;
    }
    if (!option.startsWith('-')) break;
    if (wrapper.valued.test(option)) {
      i++;
      if (words[i]?.value === null) return null;
    } else if (!wrapper.plain.test(option)) return null;
  }
  for (let n = 0; n < wrapper.operands; n++, i++) {
    if (!/^\d*\.?\d+[smhd]?$/.test(words[i]?.value ?? '')) return null;
  }
  // `time` is a word of the shell itself: assignments may follow it, and they are not judged here.
  const assigns = called === 'time' && /^\w+(\[.*\])?\+?=/.test(words[i]?.source ?? '');
  return i < words.length && !assigns ? i : null;
}

/** A script unknown here is listed as inner: rules speak about the shell itself, denials about what it may run. */
const UNKNOWN_SCRIPT: Started = { kind: 'script', script: null, role: 'inner' };

const inner = (text: string): Started => ({ kind: 'script', script: text, role: 'inner' });

function shellScript(words: readonly Word[], stdin: string | null | undefined): Started[] {
  const flag = words.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word.value ?? ''));
  if (flag > 0) {
    const script = words.slice(flag + 1).find((word) => !/^[-+]/.test(word.source))?.value ?? null;
    return script === null ? [UNKNOWN_SCRIPT] : [{ kind: 'script', script }];
  }
  const operands = words.slice(1).filter((word) => !/^[-+]/.test(word.value ?? ''));
  const readsStdin = operands.length === 0 || words.some((word) => word.value === '-s');
  if (readsStdin && typeof stdin === 'string') return [{ kind: 'script', script: stdin }];
  const runsFile = operands[0]?.value != null && !isStream(operands[0]) && !readsStdin;
  if (!runsFile) return [UNKNOWN_SCRIPT];
  const file = words.findIndex((word, at) => at > 0 && word === operands[0]);
  return [{ kind: 'words', words: words.slice(file), role: 'inner' }];
}

function unwrapFind(words: readonly Word[]): Unwrapped {
  const started: Started[] = [];
  for (let i = 1; i < words.length && started.length < MAX_SUFFIXES; i++) {
    if (!FIND_EXEC.test(words[i]?.value ?? '')) continue;
    const end = words.findIndex((word, at) => at > i && (word.value === ';' || word.value === '+'));
    const inner = words.slice(i + 1, end < 0 ? undefined : end);
    started.push({
      kind: 'words',
      // A script keeps its text: what stands for `{}` is no command in it.
      words: inner.map((word) =>
        /^\S*\{\}\S*$/.test(word.value ?? '') ? { ...word, value: null } : word,
      ),
    });
  }
  if (started.length >= MAX_SUFFIXES) started.push(UNKNOWN_SCRIPT);
  const acts = words.some((word) => FIND_ACTION.test(word.value ?? ''));
  return acts ? { role: 'launcher', started } : { started };
}

/**
 * Returns everything the arguments could start: each position as a command, each argument with
 * spaces as a script. `given` are words that any of them gets besides.
 */
function everySuffix(words: readonly Word[], given: readonly Word[] = []): Started[] {
  const started: Started[] = [];
  words.slice(1, MAX_SUFFIXES).forEach((word, at) => {
    if (word.value?.startsWith('-')) {
      for (const attached of attachedTexts(word.value)) started.push(inner(attached));
      return;
    }
    started.push({ kind: 'words', words: [...words.slice(at + 1), ...given], role: 'inner' });
    if (word.value && /\s|[;&|]/.test(word.value)) started.push(inner(word.value));
    // `core.pager=x`, `alias.y=!x`.
    const assigned = /^[\w.-]+=!?(.+)$/s.exec(word.value ?? '')?.[1];
    if (assigned !== undefined) started.push(inner(assigned));
  });
  if (words.length > MAX_SUFFIXES) started.push(UNKNOWN_SCRIPT);
  return started;
}

/** Returns what may be a script in an option: behind its `=`, or behind its letter. */
const attachedTexts = (option: string): string[] =>
  [/^-[^=]*=(.*)$/s.exec(option)?.[1], /^-[^-](.*)$/s.exec(option)?.[1]].filter(
    (text) => text !== undefined && /\s/.test(text),
  ) as string[];

const script = (text: string | null): Started =>
  text === null ? UNKNOWN_SCRIPT : { kind: 'script', script: text };

function joined(words: readonly Word[]): string | null {
  const values = words.map((word) => word.value);
  return values.includes(null) ? null : values.join(' ');
}

/**
 * Returns the words the line itself gives to `xargs`. More may come, unless the text is plain and
 * all of it.
 */
function wordsFromInput(words: readonly Word[], stdin: string | null | undefined): Word[] {
  const known = knownWords(words, stdin);
  const isAll = /^[\w./@:+,\s-]+$/.test(stdin ?? '') && known.length < MAX_SUFFIXES;
  return isAll ? known : [...known, unknownAfter(words)];
}

/** Returns the words that stand in the line. */
const knownWords = (words: readonly Word[], stdin: string | null | undefined): Word[] =>
  (stdin ?? '')
    .split(/\s+/)
    .filter((text) => text !== '')
    .slice(0, MAX_SUFFIXES)
    .map((value) => ({ ...unknownAfter(words), value, source: value }));

function unknownAfter(words: readonly Word[]): Word {
  const end = words.at(-1)?.end ?? 0;
  return { value: null, glob: null, source: '', start: end, end };
}
