import { useContext, useEffect, useState } from 'react';
import type { FileImage } from '../../shared/project-file';
import type { Result } from '../../shared/result';
import { imageUrl } from '../store/attachments';
import { WritingContext } from './block-contexts';
import { MarkdownContext } from './CodeBlock';
import { InlineCode } from './Links';

/** Names an image by its alternative text. */
export const imageName = (alt: string): string => (alt === '' ? 'Image' : `Image: ${alt}`);

/** Returns the path that the address of an image names in the project; null for what lies elsewhere. */
export function imagePath(url: string): string | null {
  if (url === '' || URL.canParse(url) || /^(?:\/\/|[#?\\])/.test(url)) return null;
  const [path = ''] = url.split(/[?#]/);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** An image of the project, in its place in an answer. One that cannot be shown is named. */
export function ProjectImage({ path, alt }: { readonly path: string; readonly alt: string }) {
  const { loadImage } = useContext(MarkdownContext);
  const writing = useContext(WritingContext);
  const [image, setImage] = useState<Result<FileImage> | null>(null);
  useEffect(() => {
    if (loadImage === undefined || writing) return;
    const control = new AbortController();
    void loadImage(path, control.signal).then((read) => {
      if (!control.signal.aborted) setImage(read);
    });
    return () => control.abort();
  }, [loadImage, path, writing]);
  if (image?.ok !== true) {
    const why = image === null ? '' : ` (${image.error.message})`;
    return (
      <span data-path={path} className="text-ink-2">
        {imageName(alt)} <InlineCode>{path}</InlineCode>
        {why}
      </span>
    );
  }
  return <img src={imageUrl(image.value)} data-path={path} alt={alt} title={path} />;
}
