/**
 * Tests of small programs in other languages: whether they can run nothing and read no file. Each lists what it allows;
 * whatever it does not know is no harmless code.
 */

/** Names that let a Python program run, load or open something, or reach such a name another way. */
const PYTHON_REACH =
  /\b(?:open|exec|eval|compile|getattr|setattr|delattr|globals|locals|vars|dir|input|breakpoint|help|memoryview|super|type|object|license|credits|copyright|exit_?|__\w*)\b/;
/** Modules that only compute. */
const PYTHON_MODULES =
  'json|sys|re|math|datetime|time|collections|itertools|functools|operator|statistics|textwrap|string|base64|binascii|hashlib|random|decimal|fractions|uuid|urllib\\.parse|html|difflib|pprint|calendar|heapq|bisect|unicodedata|zlib|struct|typing|enum|dataclasses|copy';
const PYTHON_IMPORT = new RegExp(
  `^\\s*(?:import\\s+(?:${PYTHON_MODULES})(?:\\s*,\\s*(?:${PYTHON_MODULES}))*|from\\s+(?:${PYTHON_MODULES})\\s+import\\s+[\\w, ]+)\\s*$`,
);
/** Attributes of values that compute; any other may lead to a module and its functions. */
const PYTHON_ATTRIBUTES = new Set(
  (
    'load loads dump dumps stdin stdout stderr argv version version_info platform maxsize read readline readlines write flush get items keys values append extend add update pop insert remove ' +
    'sort reverse index count copy join split rsplit splitlines strip lstrip rstrip replace startswith endswith upper lower title capitalize find rfind isdigit isalpha format encode decode ' +
    'zfill ljust rjust center search match fullmatch findall finditer sub compile group groups groupdict sqrt floor ceil pi e log log2 log10 exp pow sin cos tan isnan inf nan factorial gcd ' +
    'now utcnow today date datetime timedelta timezone utc strftime strptime isoformat fromisoformat timestamp fromtimestamp total_seconds days seconds year month day hour minute second weekday ' +
    'time perf_counter sleep Counter defaultdict OrderedDict deque namedtuple most_common chain groupby product permutations combinations islice accumulate count reduce partial mean median mode stdev ' +
    'b64encode b64decode urlsafe_b64encode hexlify unhexlify sha256 sha1 md5 sha512 hexdigest digest randint random choice choices shuffle sample seed uniform Decimal Fraction uuid4 hex ' +
    'quote unquote urlencode urlparse parse_qs parse urllib escape unescape dedent indent fill wrap pprint pformat ascii_letters digits union intersection difference issubset issuperset ' +
    'real imag numerator denominator bit_length to_bytes from_bytes fromkeys setdefault clear isspace isupper islower casefold partition rpartition exit'
  ).split(' '),
);

/** Tells whether a Python program only computes, reads its input and prints. */
export function isHarmlessPython(program: string): boolean {
  // What a file is called in so many words is looked at as a path of the command.
  const code = program.replace(
    /\bopen\(\s*(["'])[\w./ -]+\1\s*(?:,\s*["']rb?["']\s*)?(?:,\s*encoding=["'][\w-]+["']\s*)?\)/g,
    'str()',
  );
  // Other letters may be another spelling of a name, and a backslash may hide one in a formatted string.
  if (
    /[^\t\n\x20-\x7e]/.test(code) ||
    PYTHON_REACH.test(code) ||
    /\bfrom\s+\.|\\[xuUN0-7]/.test(code)
  )
    return false;
  const statements = code.split(/[\n;]/);
  const imports = statements.filter((text) => /\b(?:import|from)\b/.test(text));
  if (!imports.every((text) => PYTHON_IMPORT.test(text) || /\byield from\b/.test(text)))
    return false;
  const taken = imports.flatMap((text) => /\bfrom\s+\S+\s+import\s+(.*)/.exec(text)?.[1] ?? []);
  const names = taken.flatMap((list) => list.split(',').map((name) => `.${name.trim()}`));
  return [...[code, ...names].join('\n').matchAll(/\.\s*([A-Za-z_]\w*)/g)].every(([, name = '']) =>
    PYTHON_ATTRIBUTES.has(name),
  );
}

const SCRIPT_NAMES = new Set(
  (
    'console log error JSON stringify parse Math floor ceil round max min random abs sqrt pow PI Date now toISOString getTime Number String Boolean parseInt parseFloat isNaN toFixed toString ' +
    'process version versions platform arch node v8 undefined null true false typeof new length Infinity NaN trim split join map filter slice toUpperCase toLowerCase replace includes indexOf ' +
    'encodeURIComponent decodeURIComponent btoa atob crypto randomUUID performance Intl Object keys entries values'
  ).split(' '),
);

/** A name that a JavaScript program gives a value. */
const DECLARED = /\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=/g;

/** Names that mean something in every program of Node, beside those of `globalThis`: elsewhere they may still have that value. */
const GIVEN_NAMES = new Set(
  'require module exports arguments import async await yield of'.split(' '),
);

/** Tells whether a JavaScript program only computes and prints. It may print a field of the `package.json` here. */
export function isHarmlessJavaScript(code: string): boolean {
  const plain = code
    .replace(/require\((["'])(?:\.\/)?(?:package|tsconfig)\.json\1\)((?:\.\w+)*)/g, '1')
    // From one quote to its own end: what stands between two strings is no string.
    .replace(/(["'])((?:(?!\1)[^\n])*)\1/g, (whole, _, text: string) =>
      /^[\w .,:;!?/%()-]*$/.test(text) ? '""' : whole,
    );
  // Comments hide what a name is for, and a slash that does not divide begins a pattern, in which a quote is none.
  const begins = /(?<![\w$)]\s*)\/|(?<![\w$.])(?:typeof|new|let|const|var)\s*\//;
  if (/[[\]\\`]|[^\t\n\x20-\x7e]|\/[*/]|<!--|-->/.test(plain) || begins.test(plain)) return false;
  const own = new Set(
    [...plain.matchAll(DECLARED)].flatMap(([, name = '']) =>
      name in globalThis || GIVEN_NAMES.has(name) ? [] : name,
    ),
  );
  return [...plain.matchAll(/(\.\s*)?([A-Za-z_$][\w$]*)/g)].every(
    ([, dot, name = '']) =>
      SCRIPT_NAMES.has(name) ||
      (dot === undefined && (own.has(name) || /^(?:const|let|var)$/.test(name))),
  );
}

/** The pieces of an awk program: gaps and comments, texts, words and numbers, and single signs. */
const AWK_PIECE =
  /(?<gap>[ \t\r]+|#[^\n]*)|(?<text>"(?:\\.|[^"\\\n])*")|(?<word>[A-Za-z_]\w*|\d+)|(?<sign>\+\+|--|\|\||[\s\S])/y;
/** Patterns: a slash in brackets ends one for some programs called awk, and not for others. */
const AWK_PATTERNS = [
  /\/(?:\\.|\[\^?\]?(?:\[:\w*:\]|\\.|[^\]\\\n])*\]|[^[/\\\n])*\//y,
  /\/(?:\\.|[^/\\\n])*\//y,
];
/** Signs behind which a slash divides: behind `++` it begins a pattern for some of these programs. */
const AWK_DIVIDED = [/^(?:[\]).]|\+\+|--)$/, /^[\]).]$/];
/** The ways in which these programs read the pieces of one. */
const AWK_READINGS = AWK_PATTERNS.flatMap((pattern) =>
  AWK_DIVIDED.map((divided) => ({ pattern, divided })),
);
/** Words of awk behind which an expression begins, so that a slash there does not divide. */
const BEFORE_PATTERN = /^(?:print|printf|return|exit|case|in|else|do)$/;

/**
 * Returns the pieces of an awk program, a blank behind each, without its texts, patterns and comments; null for no program,
 * as a text does not end. What a slash means depends on what stands before it.
 */
function awkPieces(
  program: string,
  { pattern, divided }: { readonly pattern: RegExp; readonly divided: RegExp },
): string | null {
  const opened: string[] = [];
  let bare = '';
  let before = '';
  let canDivide = false;
  for (let at = 0; at < program.length; ) {
    const isPattern: boolean = program[at] === '/' && !canDivide;
    pattern.lastIndex = at;
    AWK_PIECE.lastIndex = at;
    const found: RegExpExecArray | null =
      (isPattern ? pattern.exec(program) : null) ?? AWK_PIECE.exec(program);
    const piece: string = found?.[0] ?? program.charAt(at);
    const { gap, text, sign }: Record<string, string> = found?.groups ?? {};
    if (sign === '"' && !program.includes('\\\n')) return null;
    at += piece.length;
    if (gap === undefined) {
      if (piece === '(') opened.push(before);
      // Behind the condition of an `if` a statement begins.
      const isCondition = piece === ')' && /^(?:if|while|for|switch)$/.test(opened.pop() ?? '');
      canDivide = sign === undefined ? !BEFORE_PATTERN.test(piece) : divided.test(sign);
      canDivide &&= !isCondition;
      if (piece !== '\n') before = piece;
    }
    bare += found?.groups && text === undefined && !piece.startsWith('#') ? `${piece} ` : ' ';
  }
  return bare;
}

/** The words and signs by which an awk program starts or loads something, also right behind a number: `1e5system` is `1e5 system`. */
const AWK_REACH =
  /(?:\b|\d [eExX][\da-fA-F]*)(?:system|extension|load|ARG[VC])\b|getline|@|\\|(?<!\|)\|(?!\|)/;

/** Tells whether an awk program can start nothing: no `system`, no pipes, no loaded code, no arguments of its own. */
export const isHarmlessAwk = (program: string): boolean =>
  AWK_READINGS.every((reading) => !AWK_REACH.test(awkPieces(program, reading) ?? ''));

/** `s/a/b/g`, `tr/a/b/`, `print if /x/`: no `e`, no variables but those of the match. */
const PERL_STATEMENT =
  /^\s*(?:(?:s|tr|y)([/|#,!:])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gimsxnrdc]*|print|(?:print\s+)?(?:if|unless)\s+(?:m?\/(?:\\.|[^/\\])*\/[ims]*|\$\.\s*[<>=]=?\s*\d+)|print\s+(?:if|unless)\s+(?:m?\/(?:\\.|[^/\\])*\/[ims]*|\$\.\s*[<>=]=?\s*\d+))?\s*$/s;

/** Tells whether a Perl program only replaces and prints text. */
export const isHarmlessPerl = (code: string): boolean =>
  !/@|\(\?\??\{|`|\$(?![\d&.)|/]|$)|[^\t\n\x20-\x7e]/.test(code) &&
  code.split(';').every((statement) => PERL_STATEMENT.test(statement));

/** Commands of shells of databases, and functions, that run programs or reach files. */
const SQL_REACH =
  /^\s*\.(?!(?:tables|schema|mode|headers?|databases|indexes|indices|dump|quit|exit|width|timer|nullvalue|show|changes|stats|eqp)\b)\w|\\(?![dlt?xq])|\b(?:readfile|writefile|load_extension|fts3_tokenizer|program|load_file|outfile|dumpfile|system|source|tee|pager|edit)\b|\bpg_\w*(?:file|dir|exec)|\blo_(?:im|ex)port|\bload\s+data|\bxp_|\battach\b/im;

/** Tells whether a text for the shell of a database runs no program and reaches no file. */
export const isHarmlessSql = (code: string): boolean => !SQL_REACH.test(code);

/** Tells whether a command of a debugger only runs and looks at the program it is for. */
export const isHarmlessGdb = (code: string): boolean =>
  code
    .split('\n')
    .every((line) =>
      /^\s*(?:r|run|start|bt|backtrace|where|q|quit|c|continue|n|next|s|step|finish|kill|info \w+|thread apply all bt(?: full)?|bt full|set (?:pagination|confirm|width|height) \w+|b(?:reak)? [\w:.]+|l(?:ist)?|frame \d+|up|down|process launch|y)?\s*$/.test(
        line,
      ),
    );
