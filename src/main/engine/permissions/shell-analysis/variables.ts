import type { Word } from './words';

/** Variables that tell programs how to print and nothing more: an allow rule holds with them in front. */
const HARMLESS = new Set(
  'CI NODE_ENV RAILS_ENV RACK_ENV APP_ENV FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES LANG LANGUAGE LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME TZ PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE RUST_BACKTRACE RUST_LOG'.split(
    ' ',
  ),
);

/** Variables that make programs load or run something, or send it elsewhere. */
const DANGEROUS = new RegExp(
  '^(' +
    'PATH|CDPATH|FPATH|MODULE_PATH|IFS|ENV|HOME|SHELL|PS[0-9]|PROMPT_COMMAND|GLOBIGNORE|FIGNORE|SHELLOPTS|BASHOPTS|TMPDIR|PWD|OLDPWD|' +
    'BASH_.*|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|RESOLV_.*|GIT_.*|SSH_.*|GPG_.*|' +
    'NODE_(?!ENV$).*|NPM_.*|YARN_.*|PNPM_.*|BUN_.*|DENO_.*|PYTHON(?!UNBUFFERED$|DONTWRITEBYTECODE$).*|PIP_.*|UV_.*|RUBY.*|GEM_.*|BUNDLE_.*|PERL.*|JAVA_.*|_JAVA_.*|JDK_.*|MAVEN_.*|GRADLE_.*|' +
    'GO(FLAGS|PATH|ROOT|PROXY|ENV|TOOLCHAIN|NOSUMCHECK|INSECURE)|CGO_.*|CC|CXX|LD|AR|CFLAGS|LDFLAGS|CARGO_.*|RUSTC.*|RUSTFLAGS|MAKE.*|CMAKE_.*|' +
    '.*PAGER|.*EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|LESS|MANOPT|RIPGREP_CONFIG_PATH|GREP_OPTIONS|FZF_.*|TAR_OPTIONS|ZIPOPT|UNZIP|' +
    '.*_PROXY|SSL_.*|CURL_.*|WGET.*|AWS_.*|AZURE_.*|GOOGLE_.*|KUBECONFIG|DOCKER_.*|ANTHROPIC_.*|OPENAI_.*|CLAUDE_.*|LATHE_.*' +
    ')$',
  'i',
);

/** The risk of setting a variable: nothing of note, something unknown, or run code. */
export type VariableRisk = 'harmless' | 'unknown' | 'dangerous';

/** Judges `NAME=value` or `NAME+=value` as written in front of a command or on its own. */
export function variableRisk(assignment: string): VariableRisk {
  const [, name = '', value = ''] =
    /^([^=+[]*)(?:\[[^\]]*\])?\+?=?([\s\S]*)$/.exec(assignment) ?? [];
  if (DANGEROUS.test(name)) return 'dangerous';
  const zone = name === 'TZ' && /^["']?[A-Za-z][\w+-]*(\/[A-Za-z][\w+-]*){1,2}["']?$/.test(value);
  const plain = zone || (/^["']?[\w.,:+-]*["']?$/.test(value) && !value.startsWith(':'));
  return HARMLESS.has(name) && plain ? 'harmless' : 'unknown';
}

/** Tells whether an assignment sets a shell variable of the line's own, by custom in lower case. */
export const isLocalVariable = (assignment: string): boolean =>
  /^[a-z_][a-z0-9_]*\+?=/.test(assignment);

/** Tells whether an assignment only sets how one `read` splits its line: `IFS=` or `IFS=,`. */
export const splitsReading = (assignment: string): boolean =>
  /^IFS=["']?[^\w"'$`\\]?["']?$/.test(assignment);

/** A variable the line itself sets, and everything it may then hold. */
export interface Binding {
  readonly name: string;
  readonly values: readonly Word[];
}

/** More combinations are not followed; the words then stay unknown. */
const MAX_READINGS = 16;

/** Behind a variable these texts stay one word and no pattern. */
const PLAIN = /^[\w.~/@%+=:,-]+$/;
const USE = /^("?)\$(?:(\w+)|\{(\w+)\})(\/[\w./-]*)?\1$/;

/**
 * Tells whether nothing else in a line can change a variable: its name stands there once, and
 * otherwise only as `$name`. By custom a name in lower case is the line's own. Escapes could hide
 * another mention.
 */
function isSetOnce(name: string, source: string): boolean {
  if (!/^[a-zA-Z]\w*$/.test(name) || /\\|\$['"]/.test(source)) return false;
  return [...source.matchAll(new RegExp(`(?<![-$]|\\$\\{)\\b${name}\\b`, 'g'))].length === 1;
}

/** Fills variables of the line into the words of a command: one reading for each value. */
export function readingsOf(
  words: readonly Word[],
  bindings: ReadonlyMap<string, readonly Word[]>,
  source: string,
): readonly (readonly Word[])[] {
  let readings: readonly (readonly Word[])[] = [words];
  for (const [name, values] of bindings) {
    if (!words.some((word) => usedIn(word)?.name === name) || !isSetOnce(name, source)) continue;
    const filled = readings.flatMap((reading) =>
      values.map((value) => reading.map((word) => fill(word, name, value))),
    );
    if (filled.length > 0 && filled.length <= MAX_READINGS) readings = filled;
  }
  return readings;
}

function usedIn(word: Word): { readonly name: string; readonly rest: string } | null {
  if (word.value !== null || word.glob !== null) return null;
  const [, , short, long, rest = ''] = USE.exec(word.source) ?? [];
  const name = short ?? long;
  return name === undefined ? null : { name, rest };
}

function fill(word: Word, name: string, value: Word): Word {
  const use = usedIn(word);
  if (use?.name !== name) return word;
  if (value.glob !== null) return { ...word, glob: value.glob + use.rest };
  return value.value !== null && PLAIN.test(value.value)
    ? { ...word, value: value.value + use.rest }
    : word;
}
