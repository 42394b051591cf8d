import type { VariableChanges } from './variable-changes';
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

/** Variables whose value is a command, with options or without. */
const PROGRAMS =
  /^(?:.*_?EDITOR|VISUAL|.*PAGER|.*BROWSER|.*EXTERNAL_DIFF|FZF_.*COMMAND|GIT_SSH(?:_COMMAND)?|GIT_PROXY_COMMAND|.*_?ASKPASS|RSYNC_RSH|RSYNC_CONNECT_PROG|CVS_RSH|SVN_SSH|FCEDIT|LESSEDIT|LESSOPEN|LESSCLOSE|SHELL|MAKE|MAKESHELL|CONFIG_SHELL|CC|CXX|CPP|LD|AR|AS|FC|RANLIB|STRIP|.*_WRAPPER|.*_LINKER|.*_RUNNER|RUSTC|RUSTDOC|CARGO|TERMINAL|npm_config_(?:script_shell|editor|git|viewer|shell))$/i;

/** Returns the command that setting a variable names; null for one only known at run time, undefined for none. */
export function programIn(name: string, value: string | null): string | null | undefined {
  if (!PROGRAMS.test(name)) return undefined;
  return value === null ? null : value.replace(/^[|\-\s]+/, '');
}

/** Variables that programs take options or code from, and values of them that do no harm. */
const CODE: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^(?:BASH_ENV|BASH_CMDS|BASH_ALIASES|BASH_FUNC_.*|PS[0-9]|PROMPT_COMMAND|SHELLOPTS|BASHOPTS)$/,
    /^$/,
  ],
  [/^ENV$/, /^[\w-]*$/],
  [/^(?:LD_(?:PRELOAD|AUDIT)|DYLD_INSERT_.*|GCONV_PATH|OPENSSL_(?:CONF|ENGINES|MODULES))$/, /^$/],
  [
    /^(?:PERL5OPT|PERL5DB|RUBYOPT|PYTHONSTARTUP|PYTHONBREAKPOINT|PYTHONINSPECT)$/,
    /^(?:0?|-[wW]\d?)$/,
  ],
  [
    /^NODE_OPTIONS$/,
    /^(?:\s*--(?:max[-_]old[-_]space[-_]size=\d+|experimental-vm-modules|no-warnings|no-deprecation|trace-(?:warnings|deprecation)|enable-source-maps|openssl-legacy-provider|unhandled-rejections=\w+|stack-trace-limit=\d+))*\s*$/,
  ],
  [
    /^(?:_?JAVA_(?:TOOL_)?OPTIONS|JDK_JAVA_OPTIONS|JAVA_OPTS|(?:MAVEN|GRADLE)_OPTS)$/,
    /^(?:\s*-(?:X(?:m[sxn]|ss)\d+\w?|D[\w.]+(?:=[\w./:-]*)?|ea|da))*\s*$/,
  ],
  [
    /^(?:GNU)?MAKE(?:FLAGS|OVERRIDES|FILES)$|^MFLAGS$/,
    /^(?:\s*-?(?:j\d*|k|s|n|i|w|B)|\s*--(?:silent|no-print-directory|output-sync(?:=\w+)?))*\s*$/,
  ],
  // Letters of options that take no value: what follows others may be a program.
  [/^TAR_OPTIONS$/, /^(?:\s*-[vpkmoOSWhlPjJzZa]+)*\s*$/],
  [/^LESS$/, /^(?:\s*-[aAcCdeEfFgGiIJKLmMnNqQrRsSuUwWX]+)*\s*$/],
  [/^(?:ZIPOPT|UNZIP|GREP_OPTIONS)$/, /^(?:\s*-[qrvijnhHIEFwxoc]+)*\s*$/],
  [/^GOFLAGS$/, /^(?:\s*-(?:mod|count|v|race|p|tags|trimpath|buildvcs)(?:=[\w,.-]+)?)*\s*$/],
  [
    /^FZF_.*OPTS$/,
    /^(?:\s*--(?:height|layout|min-height|margin|padding|info|color|tabstop)=[\w%~.,:-]+|\s*--(?:reverse|border|ansi|multi|cycle|exact|no-mouse))*\s*$/,
  ],
  [/^LUA_INIT(?:_5_\d)?$/, /^(?:@.*)?$/],
  [
    /^(?:ERL_[AZ]?FLAGS|ELIXIR_ERL_OPTIONS)$/,
    /^(?:\s*[-+](?:smp|K|P|Q|A|sname|name)(?:\s+[\w@.-]+)?)*\s*$/,
  ],
  [
    /^(?:APT_CONFIG|DOTNET_STARTUP_HOOKS|NODE_REPL_EXTERNAL_MODULE|GROFF_COMMAND_PREFIX|GCC_EXEC_PREFIX|COMPILER_PATH)$/,
    /^(?:\/dev\/null)?$/,
  ],
  [/^MANOPT$/, /^(?:\s*-[akw7]+)*\s*$/],
  [
    /^GIT_(?:CONFIG.*|EXEC_PATH|TEMPLATE_DIR|ALTERNATE_OBJECT_DIRECTORIES)$/,
    /^(?:1|\/dev\/null)?$/,
  ],
  [
    /^(?:VIMINIT|GVIMINIT|EXINIT|MYVIMRC|INPUTRC|ZDOTDIR|GDBINIT|LESSKEY(?:IN)?)$/,
    /^(?:\/dev\/null)?$/,
  ],
  [/^PYTEST_(?:ADDOPTS|PLUGINS)$/, /^(?:\s*-(?:v+|q+|x|s|n\s?\d+|-\w[\w-]*(?:=\w+)?))*\s*$/],
];

/** Variables that `make` puts into its commands. */
const FLAGS = /FLAGS$|^(?:LDLIBS|LOADLIBES|LIBS|TARGET_ARCH|OUTPUT_OPTION)$/;

/** Tells whether setting a variable may make programs run something that the line does not show. */
export const hidesCode = (name: string, value: string | null): boolean =>
  (/^[A-Z_]+$/.test(name) && /\$\(|`/.test(value ?? '')) ||
  (FLAGS.test(name) && /[;&|]/.test(value ?? '')) ||
  (/^[A-Z]/.test(name) && /^\/(?:dev\/(?:stdin|fd\/)|proc\/)/.test(value ?? '')) ||
  CODE.some(([names, harmless]) => names.test(name) && (value === null || !harmless.test(value)));

/** A variable the line itself sets, and everything it may then hold. */
export interface Binding {
  /** With `[@]` behind it for an array, whose elements are the values. */
  readonly name: string;
  readonly values: readonly Word[];
}

/** Values of the variables that a line has set, by their names. */
export type Bindings = ReadonlyMap<string, readonly Word[]>;

/** More combinations are not followed; the words then stay unknown. */
const MAX_READINGS = 16;

/** In a variable these texts stay one word and no pattern. */
export const PLAIN = /^[\w.~/@%+=:,-]+$/;
/** A word that is a variable with a path behind it, in quotes or not. */
const USE =
  /^(?:\$(?:\w+|\{\w+\})(?:[./-][\w./-]*)?|\$\{\w+\}\w[\w./-]*|"\$(?:\w+|\{\w+\})"[\w./-]*)$/;
/** A text in quotes that holds nothing to fill in but variables. */
const QUOTED = /^"(?:[^"$`\\!]|\$\w+|\$\{\w+\})*"$/;

/**
 * Tells whether nothing else in a line can change a variable: its name stands there once, and
 * otherwise only as `$name`, and no command sets it that does not show it. By custom a name
 * in lower case is the line's own. Escapes could hide another mention.
 */
function isSetOnce(name: string, source: string, changes: VariableChanges): boolean {
  if (!/^[a-zA-Z]\w*$/.test(name) || /\\|\$['"]/.test(source) || changes.has(name)) return false;
  return [...source.matchAll(new RegExp(`(?<![-$]|\\$\\{)\\b${name}\\b`, 'g'))].length === 1;
}

/** Fills variables of the line into the words of a command: one reading for each value. */
export function readingsOf(
  words: readonly Word[],
  bindings: Bindings,
  source: string,
  changes: VariableChanges,
): readonly (readonly Word[])[] {
  let readings: readonly (readonly Word[])[] = [words];
  // With other separators a value may be several words.
  if (/\bIFS\b(?!=\S*\s+read\b)/.test(source)) return readings;
  for (const [name, values] of bindings) {
    if (!words.some((word) => usedIn(word)?.name === name) || !isSetOnce(name, source, changes))
      continue;
    const filled = readings.flatMap((reading) =>
      values.map((value) => reading.map((word) => fill(word, name, value))),
    );
    if (filled.length > 0 && filled.length <= MAX_READINGS) readings = filled;
  }
  return readings;
}

/** Returns what the variables hold once one more is set; others in its value are filled in. */
export function bind(
  { name, values }: Binding,
  bindings: Bindings,
  source: string,
  changes: VariableChanges,
): Bindings {
  const held = values.flatMap((value) => readingsOf([value], bindings, source, changes).flat());
  return new Map(bindings).set(name, held);
}

/** Returns the only variable of a word, and what stands before and behind each mention of it; null when it is not as simple. */
function usedIn(word: Word): { readonly name: string; readonly around: readonly string[] } | null {
  if (word.value !== null || word.glob !== null) return null;
  if (!QUOTED.test(word.source) && !USE.test(word.source)) return null;
  const text = word.source
    .replace(/\$(\w+)/g, (_, name: string) => `\${${name}}`)
    .replaceAll('"', '');
  const names = new Set([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name));
  const [name] = names;
  return name === undefined || names.size > 1 ? null : { name, around: text.split(`\${${name}}`) };
}

function fill(word: Word, name: string, value: Word): Word {
  const use = usedIn(word);
  if (use?.name !== name) return word;
  const { around } = use;
  if (value.glob !== null && around[0] === '' && around.length === 2)
    return { ...word, glob: around.join(value.glob) };
  return value.value !== null && PLAIN.test(value.value)
    ? { ...word, value: around.join(value.value) }
    : word;
}
