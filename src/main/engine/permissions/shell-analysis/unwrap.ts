import path from 'node:path';
import type { ShellRole } from '../request';
import type { Surroundings } from './arithmetic';
import { dialectOf } from './dialect';
import { givenByFd, namesFound, rootsFound } from './find-names';
import { codeIn } from './guesses';
import { harmlessCode, harmlessCodeBehind, onlyComputes, withoutVersion } from './interpreters';
import {
  directPrograms,
  EXACT_RUNNERS,
  isRunner,
  LAUNCHERS,
  mayStart,
  namesThings,
  programBehind,
  RUNNER_WORDS,
  RUNNERS,
  SHELLS,
  startsNoProgram,
  TRANSPARENT,
} from './launchers';
import { attachedTexts, programsInOptions } from './program-options';
import type { InputText } from './simple-command';
import {
  EXPANSIONS,
  guess,
  inner,
  isStream,
  type Started,
  scriptOf,
  shellScript,
  textGiven,
  UNKNOWN_SCRIPT,
} from './started-scripts';
import { textAsWritten, type Word } from './words';
import { endsInRunner, knownWords, MAX_SUFFIXES, runsInput, wordsFromInput } from './xargs-input';

export interface Unwrapped {
  readonly role?: ShellRole;
  /** The number of words before those that are surely what it starts. */
  readonly ownWords?: number;
  readonly started: readonly Started[];
}

/** Primaries of `find` that run, write or delete. */
const FIND_EXEC = /^-(exec|execdir|ok|okdir)$/;
const FIND_ACTION = /^-(exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls)$/;

/** Returns what a command starts, and its role in that. `input` is what the line gives it to read, if anything. */
export function unwrap(
  words: readonly Word[],
  input: InputText | null | undefined,
  around: Surroundings,
): Unwrapped {
  const called = words[0]?.value ?? null;
  if (called === null) return { started: [] };
  const wrapped = startBehind(TRANSPARENT, called, words);
  if (wrapped !== null) {
    const rest = words.slice(wrapped);
    const given = called === 'xargs' ? wordsFromInput(rest, shownIn(input)) : [];
    const started: Started[] = [{ kind: 'words', words: [...rest, ...given] }];
    return { role: 'wrapper', ownWords: wrapped, started };
  }
  const base = path.posix.basename(called);
  const name = SHELLS.has(withoutVersion(base, isRunner)) ? withoutVersion(base, isRunner) : base;
  const named = programsInOptions(name, words).map(
    (text): Started => (text === null ? UNKNOWN_SCRIPT : inner(text)),
  );
  const isHarmless = onlyComputes(name, words);
  const isData = isHarmless || moduleAt(name, words) !== null;
  const computed = harmlessCode(name, words);
  const texts = words.slice(1, isData ? 1 : MAX_SUFFIXES).map(({ value }) => value);
  const code = codeIn(
    name,
    texts.filter((text) => !computed.includes(text)),
  ).map((text): Started => ({ kind: 'code', text }));
  const found = isHarmless ? { ownWords: 1, started: [] } : startedBy(name, words, input, around);
  return { ...found, started: [...found.started, ...named, ...code] };
}

function startedBy(
  name: string,
  words: readonly Word[],
  input: InputText | null | undefined,
  around: Surroundings,
): Unwrapped {
  if (SHELLS.has(name)) return { started: shellScript(words, input, dialectOf(name), around) };
  switch (name) {
    case 'eval':
      return { started: scriptOf(words.slice(words[1]?.value === '--' ? 2 : 1), around) };
    case 'trap': {
      const action = words.slice(1).find((word) => !/^-(-|[lp]+)$/.test(word.value ?? ''));
      return { started: action ? scriptOf([action], around) : [] };
    }
    case 'at':
    case 'batch':
      return { started: input ? textGiven(input) : [UNKNOWN_SCRIPT] };
    case 'alias':
      return { started: words.slice(1).flatMap(({ value }) => aliased(value)) };
    case 'find':
      return unwrapFind(words);
    case 'source':
    case '.':
      return { started: isOpenFile(words[1]) ? [UNKNOWN_SCRIPT, ...textGiven(input)] : [] };
    case 'mapfile':
    case 'readarray':
      return { started: words.flatMap((word, at) => callbackIn(word, words[at + 1])) };
  }
  const module = moduleAt(name, words);
  if (module !== null) return behindRunner(words, module);
  const dashed = /^git-([a-z][a-z-]*)$/.exec(name)?.[1];
  if (dashed !== undefined) return { started: [{ kind: 'words', words: gitWords(dashed, words) }] };
  if (name === 'command' && /^-[vV]$/.test(words[1]?.value ?? '')) return { started: [] };
  if (startsNoProgram(name, words)) return { ownWords: 1, started: [] };
  const exact = startBehind(EXACT_RUNNERS, name, words);
  if (name === 'xargs') return behindRunner(words, exact, knownWords(words, shownIn(input)));
  if (LAUNCHERS.has(name)) return { role: 'launcher', started: everySuffix(words) };
  if (RUNNERS.has(name) || LOADER.test(name)) return behindRunner(words, exact);
  const after = Object.hasOwn(RUNNER_WORDS, name) ? RUNNER_WORDS[name] : undefined;
  const at = after ? words.findIndex((word) => after.test(word.value ?? '')) : -1;
  if (at > 0) {
    return behindRunner(
      words,
      programBehind(name, words, at),
      name.startsWith('fd') ? [givenByFd(words)] : [],
      at,
    );
  }
  const direct = directPrograms(name, words);
  if (direct.length > 0)
    return {
      started: direct.map((from) => ({ kind: 'words', words: words.slice(from), role: 'inner' })),
    };
  const started = mayStart(name, words);
  return { started: started > 0 ? everySuffix(words.slice(started - 1)) : [] };
}

/** Returns the place of the module that Python runs as a program whose words start nothing; null for other uses. */
function moduleAt(name: string, words: readonly Word[]): number | null {
  const at = words.findIndex(({ value }) => value === '-m') + 1;
  const isRun = /^(?:python|pypy)[\d.]*$/.test(name) && /^-/.test(words[1]?.value ?? '');
  return isRun && at > 0 && at <= 2 && namesThings(words[at]?.value ?? '') ? at : null;
}

/** Returns `git push …` for `git-push …`, by which git calls its subcommands. */
function gitWords(subcommand: string, words: readonly Word[]): Word[] {
  const [called] = words;
  if (!called) return [];
  const word = (value: string): Word => ({ ...called, value, source: value });
  return [word('git'), word(subcommand), ...words.slice(1)];
}

/** The system's own loader, which starts the program it is given. */
const LOADER = /^ld(?:-linux|-musl|\.so|64\.so)/;

/** Tells whether a sourced file is a stream, or any file: a glob, what a command prints. `"$HOME/.x"` names one. */
const isOpenFile = (word: Word | undefined): boolean =>
  isStream(word) ||
  (word?.value === null &&
    (word.glob !== null ||
      (/[`$]/.test(word.source) && !/[})`\w]["']?(?:\/[\w.-]+)+["']?$/.test(word.source))));

/** Returns the whole text that the line gives a command to read, if it shows it. */
const shownIn = (input: InputText | null | undefined): string =>
  input?.isOpen === false ? input.text : '';

/** Returns the text an `alias` stands for. */
function aliased(value: string | null): Started[] {
  const text = value === null ? null : /^[^=]+=(.*)$/s.exec(value)?.[1];
  return text === undefined ? [] : [text === null ? UNKNOWN_SCRIPT : inner(text)];
}

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
function startBehind(
  table: typeof TRANSPARENT,
  called: string,
  words: readonly Word[],
): number | null {
  const wrapper = Object.hasOwn(table, called) ? table[called] : undefined;
  if (!wrapper) return null;
  let i = 1;
  for (; i < words.length; i++) {
    const option = words[i]?.value ?? null;
    if (option === null) return null;
    if (option === '--') {
      i++;
      break;
    }
    if (wrapper.sets && /^[^-=][^=]*=/.test(option)) continue;
    if (!option.startsWith('-')) break;
    if (wrapper.valued.test(option)) {
      i++;
      if (words[i]?.value === null) return null;
    } else if (!wrapper.plain.test(option)) return null;
  }
  while (wrapper.sets && /^[^=]+=/.test(words[i]?.value ?? '')) i++;
  if (table === EXACT_RUNNERS && words[i]?.value === null) return null;
  for (let n = 0; n < wrapper.operands; n++, i++) {
    if (!/^\d*\.?\d+[smhd]?$/.test(words[i]?.value ?? '')) return null;
  }
  // `time` is a word of the shell itself: assignments may follow it, and they are not judged here.
  const assigns = called === 'time' && /^\w+(\[.*\])?\+?=/.test(words[i]?.source ?? '');
  return i < words.length && !assigns ? i : null;
}

function unwrapFind(words: readonly Word[]): Unwrapped {
  const started: Started[] = [];
  const names = namesFound(words);
  const roots = rootsFound(words);
  const given = { value: null, ...(roots ? { roots } : {}) };
  for (let i = 1; i < words.length && started.length < MAX_SUFFIXES; i++) {
    if (!FIND_EXEC.test(words[i]?.value ?? '')) continue;
    const end = words.findIndex((word, at) => at > i && (word.value === ';' || word.value === '+'));
    const inner = words.slice(i + 1, end < 0 ? undefined : end);
    started.push({
      kind: 'words',
      // A script keeps its text: what stands for `{}` is no command in it.
      words: inner.map((word) =>
        /^\S*\{\}\S*$/.test(word.value ?? '')
          ? { ...word, ...given, ...(word.value === '{}' ? { names: names ?? ['*'] } : {}) }
          : word,
      ),
    });
  }
  if (started.length >= MAX_SUFFIXES) started.push(UNKNOWN_SCRIPT);
  const acts = words.some((word) => FIND_ACTION.test(word.value ?? ''));
  return acts ? { role: 'launcher', ownWords: 1, started } : { started };
}

/** Returns what a runner starts, from its word at `from` on: the program at a place that is known, or whatever may be one. */
function behindRunner(
  words: readonly Word[],
  program: number | null,
  given: readonly Word[] = [],
  from = 0,
): Unwrapped {
  const runner = path.posix.basename(words[0]?.value ?? '');
  const only = program === null ? undefined : program - from;
  const started = everySuffix(words.slice(from), given, only, runner);
  return program === null ? { started } : { ownWords: program, started };
}

/**
 * Returns everything the arguments could start: each position as a command, each argument with
 * spaces as a script. `given` are words that any of them gets besides. With `only`, that position alone is a command.
 */
function everySuffix(
  words: readonly Word[],
  given: readonly Word[] = [],
  only?: number,
  runner = '',
): Started[] {
  const xargs = words.findIndex((word) =>
    /^(?:xargs|parallel|rush)$/.test(path.posix.basename(word.value ?? '')),
  );
  const started: Started[] = xargs >= 0 && runsInput(words.slice(xargs)) ? [UNKNOWN_SCRIPT] : [];
  const computed = harmlessCodeBehind(runner, words);
  words.slice(1, only === undefined ? MAX_SUFFIXES : only + 1).forEach((word, at) => {
    if (word.value?.startsWith('-')) {
      for (const attached of attachedTexts(word.value)) started.push(inner(attached));
      return;
    }
    if (isNoProgram(words.slice(0, at + 1), word, CONTAINERS.test(runner))) return;
    if (computed.names.includes(at + 1) && !isRunner(imageName(word))) return;
    // The value of an option of an interpreter, such as a name of somebody.
    if (
      at > computed.at &&
      /^-\w/.test(words[at]?.value ?? '') &&
      /^[\w.@-]+$/.test(word.value ?? '')
    )
      return;
    const isOnly = only === undefined ? {} : ({ isOnly: true } as const);
    if (only === undefined || at + 1 === only)
      started.push({
        ...{ kind: 'words', words: [...words.slice(at + 1), ...given], role: 'inner' },
        ...isOnly,
      });
    if (word.value && /[\s;&|"'\\]/.test(word.value) && !computed.code.includes(word.value))
      started.push(inner(word.value));
    if (word.value === null && /\s/.test(word.source.replace(EXPANSIONS, '')))
      started.push(guess(textAsWritten(word)));
    // Images and packages with their version: `hashicorp/terraform:1.9`, `rimraf@5`.
    const name = /^([\w./-]+)[:@][\w.:-]+$/.exec(word.value ?? '')?.[1];
    if (name !== undefined)
      started.push({
        kind: 'words',
        words: [{ ...word, value: name }, ...words.slice(at + 2), ...given],
        role: 'inner',
        ...isOnly,
      });
    // `core.pager=x`, `alias.y=!x`.
    const assigned = /^(?:[^\s=]+=!?|(?:EXEC|SYSTEM|SHELL):)(.+)$/s.exec(word.value ?? '')?.[1];
    if (assigned !== undefined) started.push(inner(assigned));
  });
  if (only === undefined && words.length > MAX_SUFFIXES) started.push(UNKNOWN_SCRIPT);
  return started;
}

const CONTAINERS = /^(?:docker|podman|nerdctl|kubectl)$/;

const imageName = ({ value }: Word): string =>
  path.posix.basename(value?.replace(/[:@].*$/, '') ?? '');

/** Options of `docker run` whose value is a folder, a name or a variable. */
const CONTAINER_VALUES =
  /^(?:-[vwepu]|--(?:volume|workdir|env|env-file|publish|user|name|mount|network))$/;

/** Tells whether a word is no program: input of `xargs` behind a program, or the value of an option of containers. */
function isNoProgram(before: readonly Word[], word: Word, isContainer: boolean): boolean {
  if (word.value === null && word.source === '') return !endsInRunner(before);
  return isContainer && CONTAINER_VALUES.test(before.at(-1)?.value ?? '');
}
