import { MAX_PROMPT_BLOCKS } from '../../shared/contract-inputs';
import { imageType, SIGNATURE_BYTES } from '../../shared/image-type';
import { type CarriedText, linesOf, pastedText, readPasted } from '../../shared/paste';
import type { PromptBlock } from '../../shared/queued-prompt';
import { err, type Fault, fault, ok, type Result } from '../../shared/result';
import { dataSize, plural } from '../ui/format';

/** An image or a long pasted text that goes with a prompt. */
export type PromptAttachment =
  | {
      readonly kind: 'image';
      readonly name: string;
      readonly mediaType: string;
      /** Base64. */
      readonly data: string;
    }
  | {
      readonly kind: 'paste';
      readonly text: string;
      /** The file whose text it is. */
      readonly name?: string;
    };

/** The types of image that models take. */
export const IMAGE_TYPES: readonly string[] = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
];

/** The API's limit for one image, in bytes before base64. */
const MAX_IMAGE_BYTES = 3.75 * 1024 * 1024;
/** The images of one prompt together, so that they fit into one message to the host, in bytes before base64. */
const MAX_IMAGES_BYTES = 5 * 1024 * 1024;

/** Returns the size of a base64 text in bytes. */
const bytesOf = (base64: string): number => Math.floor((base64.length * 3) / 4);

/** The largest text file that goes with a prompt as it is. Bytes. */
const MAX_TEXT_BYTES = 400 * 1024;

/** Reads a file that was dropped, pasted or chosen: an image, or a text, which goes along as a pasted one. */
export async function readAttachment(file: File): Promise<Result<PromptAttachment>> {
  if (file.type.startsWith('image/') || file.size > MAX_TEXT_BYTES) return readImage(file);
  const text = await file.text().catch(() => null);
  if (text === null) return err(unreadable(file.name));
  // What is no text in UTF-8 could only be an image.
  if (/[\0\uFFFD]/.test(text)) return readImage(file);
  return ok({ kind: 'paste', text, name: file.name });
}

/** Reads an image file. A file of another type, too large or unreadable gives a fault. */
async function readImage(file: File): Promise<Result<PromptAttachment>> {
  const name = file.name === '' ? 'Pasted image' : file.name;
  if (!IMAGE_TYPES.includes(file.type)) {
    const type = file.type === '' ? 'a file of unknown type' : file.type;
    return err(
      fault(
        'bad_image',
        `${name} is ${type}.`,
        'Images can be PNG, JPEG, GIF or WebP. Text files may have up to 400 kB; mention a larger one with @.',
      ),
    );
  }
  if (file.size > MAX_IMAGE_BYTES) {
    return err(
      fault(
        'image_too_large',
        `${name} has ${dataSize(file.size)}; an image may have ${dataSize(MAX_IMAGE_BYTES)}.`,
        'Make it smaller first.',
      ),
    );
  }
  try {
    // A name says little: what calls itself another type than it is would be refused with the whole conversation.
    const start = new Uint8Array(await file.slice(0, SIGNATURE_BYTES).arrayBuffer());
    const mediaType = imageType(start);
    if (mediaType === null)
      return err(fault('bad_image', `${name} is damaged, or no image that models can see.`));
    return ok({ kind: 'image', name, mediaType, data: await base64Of(file) });
  } catch {
    return err(unreadable(name));
  }
}

/** Browsers hand a dropped folder over as a file that cannot be read. */
const unreadable = (name: string): Fault =>
  fault('unreadable', `${name} cannot be read.`, 'A folder is not attached: mention it with @.');

/** Reads a file as base64. Rejects when it cannot be read. */
function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** Adds attachments to a list; a fault when they are too many or too large together. */
export function withAttachments(
  list: readonly PromptAttachment[],
  added: readonly PromptAttachment[],
): Result<readonly PromptAttachment[]> {
  const all = [...list, ...added];
  if (all.length > MAX_PROMPT_BLOCKS) {
    return err(fault('too_many', `One message takes ${MAX_PROMPT_BLOCKS} attachments.`));
  }
  const bytes = all.reduce((sum, one) => sum + (one.kind === 'image' ? bytesOf(one.data) : 0), 0);
  return bytes <= MAX_IMAGES_BYTES
    ? ok(all)
    : err(
        fault(
          'images_too_large',
          `The images of one message may have ${dataSize(MAX_IMAGES_BYTES)} together.`,
          'Send them in several messages.',
        ),
      );
}

/** Returns the blocks of a prompt for its attachments. */
export const toBlocks = (list: readonly PromptAttachment[]): readonly PromptBlock[] =>
  list.map((one) =>
    one.kind === 'paste'
      ? { type: 'text', text: pastedText(one.text, one.name) }
      : {
          type: 'image',
          source: { type: 'base64', media_type: one.mediaType, data: one.data },
        },
  );

/** Returns the attachments that a prompt's blocks were made from. */
export const fromBlocks = (blocks: readonly PromptBlock[]): readonly PromptAttachment[] =>
  blocks.map((block): PromptAttachment => {
    if (block.type === 'text') {
      const { body = block.text, file } = readPasted(block.text) ?? {};
      return { kind: 'paste', text: body, ...(file === undefined ? {} : { name: file }) };
    }
    const { media_type: mediaType, data } = block.source;
    return { kind: 'image', name: 'Image', mediaType, data };
  });

/** Returns the address of a picture's own bytes: nothing is loaded for it. */
export const imageUrl = ({ mediaType, data }: Picture): string =>
  `data:${mediaType};base64,${data}`;

interface Picture {
  readonly mediaType: string;
  /** In base64. */
  readonly data: string;
}

/** Names an attachment: the file and its size, or the length of a text. */
export const attachmentName = (one: PromptAttachment): string =>
  one.kind === 'image'
    ? `${one.name}, ${dataSize(bytesOf(one.data))}`
    : `${one.name ?? 'Pasted text'}, ${plural(linesOf(one.text, one.name), 'line')}`;

/** So many pasted texts and files are named one by one. */
const NAMED_TEXTS = 4;

/** Describes what a prompt carries besides its words: "2 images, tide.txt (1 line), pasted text of 30 lines"; '' when nothing. */
export function carriedWords(images: number, texts: readonly CarriedText[]): string {
  const pastes = texts.filter(({ file }) => file === undefined);
  const files = texts.filter(({ file }) => file !== undefined);
  const together = (what: string, all: readonly CarriedText[]) =>
    all.length === 0 ? [] : [`${plural(all.length, what)} of ${plural(sumOf(all), 'line')}`];
  return [
    ...(images === 0 ? [] : [plural(images, 'image')]),
    ...(texts.length > NAMED_TEXTS
      ? [...together('file', files), ...together('pasted text', pastes)]
      : texts.map(({ file, lines }) =>
          file === undefined
            ? `pasted text of ${plural(lines, 'line')}`
            : `${file} (${plural(lines, 'line')})`,
        )),
  ].join(', ');
}

const sumOf = (texts: readonly CarriedText[]): number =>
  texts.reduce((sum, { lines }) => sum + lines, 0);
