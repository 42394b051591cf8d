import { err, ok, type Result } from '../../../../shared/result';
import { propertiesOf } from '../json-text';
import { type JsonObject, objectAt } from './plugin-json';

/** A value that a plugin asks of the user: an address, a key. */
export interface PluginOption {
  readonly key: string;
  /** One of `string`, `number`, `boolean`, `directory` and `file`; any other counts as a text. */
  readonly type: string;
  /** The bounds of a number. */
  readonly min?: number;
  readonly max?: number;
  /** Its purpose, for a user. */
  readonly description: string;
  readonly required: boolean;
  readonly sensitive: boolean;
  /** The value where the user says nothing. */
  readonly fallback: string | null;
  /** Texts that are no value of its type give the reason; null: it is one. */
  readonly fault: (value: unknown) => string | null;
}

/** The values of a plugin's options, as texts. Those that nobody gave are not there. */
export type OptionValues = Readonly<Record<string, string>>;

/** Values that people gave to options, by the plugin and their name. */
export type PluginOptionsGiven = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const FIELDS = [
  ...['type', 'title', 'description', 'required', 'sensitive', 'default', 'multiple', 'min', 'max'],
];
const TYPES = ['string', 'number', 'boolean', 'directory', 'file'];

/** Reads `userConfig` of a manifest. A bad option is told with its line and left out. */
export function readOptions(
  manifest: JsonObject,
  problems: Parameters<typeof objectAt>[1]['problems'],
): readonly PluginOption[] {
  const node = propertiesOf(manifest.root).findLast(({ name }) => name === 'userConfig')?.value;
  if (node === undefined) return [];
  if (node.type !== 'object') {
    manifest.tell('userConfig', 'an object of options is expected');
    return [];
  }
  const { file, lineAt } = manifest;
  const all = objectAt(node, { file, problems, lineAt });
  return propertiesOf(node).flatMap(({ name: key, value }) => {
    const tell = (message: string) => all.tell(key, message);
    if (!/^[A-Za-z_]\w{0,63}$/.test(key)) {
      tell('letters, digits and "_" are expected as the name of an option; it is left out');
      return [];
    }
    if (value.type !== 'object') {
      tell('an object with a description is expected; it is left out');
      return [];
    }
    const one = objectAt(value, { file, problems, lineAt });
    for (const name of Object.keys(one.value))
      if (!FIELDS.includes(name)) one.tell(name, 'there is no such field of an option');
    const type = one.text('type') ?? 'string';
    if (!TYPES.includes(type)) one.tell('type', `one of ${TYPES.join(', ')} is expected`);
    if (one.value['multiple'] === true)
      one.tell('multiple', 'lists of values are not used; one value counts');
    const fault = (given: unknown) => faultOf(given, type, one.value);
    const preset = one.value['default'];
    const wrong = preset === undefined ? null : fault(preset);
    if (wrong !== null) one.tell('default', `${wrong}; it is left out`);
    return [
      {
        key,
        type,
        ...boundsOf(one.value),
        description: one.text('description') ?? one.text('title') ?? '',
        required: one.value['required'] === true,
        sensitive: one.value['sensitive'] === true,
        fallback: preset === undefined || wrong !== null ? null : String(preset),
        fault,
      },
    ];
  });
}

const boundsOf = ({ min, max }: Readonly<Record<string, unknown>>) => ({
  ...(typeof min === 'number' ? { min } : {}),
  ...(typeof max === 'number' ? { max } : {}),
});

function faultOf(
  value: unknown,
  type: string,
  { min, max }: Readonly<Record<string, unknown>>,
): string | null {
  if (type === 'boolean') return typeof value === 'boolean' ? null : 'true or false is expected';
  if (type !== 'number') return typeof value === 'string' ? null : 'a text is expected';
  if (typeof value !== 'number') return 'a number is expected';
  if (typeof min === 'number' && value < min) return `a number of at least ${min} is expected`;
  if (typeof max === 'number' && value > max) return `a number of at most ${max} is expected`;
  return null;
}

/**
 * Returns the values that count: what the user gave, else the default. `given`: their entry for this plugin; `where`: how
 * a user says it, for what is told.
 */
export function optionValues(
  options: readonly PluginOption[],
  given: Readonly<Record<string, unknown>>,
  where: string,
  tell: (message: string) => void,
): OptionValues {
  const values: Record<string, string> = Object.create(null);
  for (const { key, required, fallback, fault } of options) {
    const own = Object.hasOwn(given, key) ? given[key] : undefined;
    const wrong = own === undefined ? null : fault(own);
    if (wrong !== null) tell(`${where}.${key}: ${wrong}`);
    const value = own === undefined || wrong !== null ? fallback : String(own);
    if (value !== null) values[key] = value;
    else if (required && wrong === null)
      tell(`the option "${key}" has no value yet: set ${where}.${key} in your settings`);
  }
  for (const key of Object.keys(given))
    if (!options.some((option) => option.key === key))
      tell(`${where}.${key}: the plugin has no such option`);
  return values;
}

/** Returns what a user typed as the value of an option, or why it is none. Pure. */
export function typedValue(
  { type, min, max }: Pick<PluginOption, 'type' | 'min' | 'max'>,
  text: string,
): Result<string | number | boolean, string> {
  const word = text.trim();
  const isNumber = type === 'number' && word !== '' && Number.isFinite(Number(word));
  const isSwitch = type === 'boolean' && /^(true|false)$/.test(word);
  const value = isNumber ? Number(word) : isSwitch ? word === 'true' : text;
  const wrong = faultOf(value, type, { min, max });
  return wrong === null ? ok(value) : err(wrong);
}

/** Fills `${user_config.name}` into a text. What has no value stays as it stands. Pure. */
export const fillOptions = (text: string, values: OptionValues): string =>
  text.replace(USED, (whole, key: string) =>
    Object.hasOwn(values, key) ? (values[key] ?? '') : whole,
  );

/** Returns the options that a text uses and that have no value; none where nobody was asked for values. Pure. */
export const missingOptions = (text: string, values: OptionValues | null): readonly string[] => [
  ...new Set(
    [...text.matchAll(USED)].flatMap(([, key = '']) =>
      values === null || Object.hasOwn(values, key) ? [] : [key],
    ),
  ),
];

/** Returns the words for what is left out because nobody gave the options that it uses. */
export const withoutValue = (keys: readonly string[]): string =>
  `left out: it needs the option ${keys.join(', ')} of the plugin, which has no value`;

/** Returns the variables by which programs of a plugin find its options. Pure. */
export const optionVariables = (values: OptionValues): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [variableOf(key), value]));

/** Returns the name of the variable of an option. */
export const variableOf = (key: string): string => `CLAUDE_PLUGIN_OPTION_${key.toUpperCase()}`;

const USED = /\$\{user_config\.(\w+)\}/g;
