import type { UploadedFile } from '../../lib/files/uploaded-file.ts'
import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { invalid } from '../../lib/fail.ts'
import { AppearanceChanged } from './events.ts'
import * as store from './store.ts'
import type { AppearanceRow } from './store.ts'
import { readFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, dataPaths } from '../../config.ts'
import { moveDurably } from '../../lib/files/durable-file.ts'
import { removalsOf } from '../../lib/gate.ts'
import { cleanFileName, suffixOf, isPicture } from '../storage/index.ts'

/** Markdown texts with their HTML in a column `<name>_html`. */
const MARKDOWN_TEXTS = [
  'description',
  'new_project_guidelines',
  'profile_image_guidelines',
  'header_message',
  'footer_message',
] as const

/** The changes in a request. Absent fields keep their values, and null removes an image. */
export interface AppearanceChanges extends Partial<Record<ImageName, UploadedFile | null>> {
  readonly texts: Readonly<Record<string, string | undefined>>
  readonly email_header_and_footer_enabled?: boolean | undefined
}

/** Returns the appearance of the instance. */
export function appearanceOf(ctx: Ctx): AppearanceRow {
  return store.load(ctx.db, ctx.now)
}

/** Changes texts, colors and images. Throws 400 for an invalid image or color. */
export async function changeAppearance(ctx: Ctx, changes: AppearanceChanges): Promise<AppearanceRow> {
  const texts = Object.fromEntries(
    Object.entries(changes.texts).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  checkColors(texts)
  const images = IMAGES.filter((name) => changes[name] !== undefined)
  for (const name of images) if (changes[name]) await checkImage(name, changes[name])
  const html = await htmlOf(texts)
  const names = new Map<ImageName, string | null>()
  for (const name of images)
    names.set(name, changes[name] ? await storeImage(ctx, name, changes[name]) : null)
  const enabled = changes.email_header_and_footer_enabled
  const row = tx(ctx.db, () => {
    store.load(ctx.db, ctx.now)
    const changed = store.update(ctx.db, {
      ...texts,
      ...html,
      ...Object.fromEntries(names),
      ...(enabled === undefined ? {} : { email_header_and_footer_enabled: enabled }),
      updated_at: ctx.now,
    })
    const changedNames = [...Object.keys(texts), ...images]
    if (enabled !== undefined) changedNames.push('email_header_and_footer_enabled')
    publish(ctx, AppearanceChanged, {
      appearance_id: changed.id,
      changed: changedNames,
      actor_id: ctx.actor.id,
    })
    return changed
  })
  for (const [name, currentName] of names) await removeOtherImages(ctx, name, currentName)
  return row
}

function checkColors(texts: Readonly<Record<string, string>>): void {
  for (const name of ['message_background_color', 'message_font_color']) {
    const color = texts[name]
    if (color !== undefined && !/^#(?:[0-9a-f]{3}){1,2}$/i.test(color))
      throw invalid({ [name]: 'must be a valid color code' })
  }
}

async function htmlOf(texts: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const names = MARKDOWN_TEXTS.filter((name) => texts[name] !== undefined)
  if (names.length === 0) return {}
  const { renderMarkdown } = await import('../../lib/markdown.ts')
  return Object.fromEntries(names.map((name) => [`${name}_html`, renderMarkdown(texts[name]!).trim()]))
}

/** The images of the appearance. Their columns, parameters and URLs have the same names. */
export const IMAGES = ['logo', 'header_logo', 'favicon', 'pwa_icon'] as const

export type ImageName = (typeof IMAGES)[number]

/** The maximum size of an image in bytes (spec administration 2). */
const MAX_BYTES = 1024 * 1024
const IMAGE_EXTENSIONS = ['png', 'jpg', 'jpeg', 'gif', 'bmp', 'tiff', 'ico', 'webp', 'svg']
const ALLOWED_EXTENSIONS: Readonly<Record<ImageName, readonly string[]>> = {
  logo: IMAGE_EXTENSIONS,
  header_logo: IMAGE_EXTENSIONS,
  favicon: ['ico', 'png'],
  pwa_icon: ['png'],
}

/** Returns the path of the file of an image. */
export function imageFile(config: Config, image: ImageName, name: string): string {
  return join(imageFolder(config, image), cleanFileName(name))
}

function imageFolder(config: Config, image: ImageName): string {
  return join(dataPaths(config.dataDir).uploads, '-', 'system', 'appearance', image, '1')
}

/** Throws 400 with the name of the image for an invalid file. */
export async function checkImage(image: ImageName, file: UploadedFile): Promise<void> {
  if (file.size > MAX_BYTES) throw invalid({ [image]: 'is too big (should be at most 1 MB)' })
  const extension = suffixOf(file)
  const allowedExtensions = ALLOWED_EXTENSIONS[image]
  if (!allowedExtensions.includes(extension)) {
    const text = `You are not allowed to upload ${JSON.stringify(extension)} files, allowed types: ${allowedExtensions.join(', ')}`
    throw invalid({ [image]: text })
  }
  const isValid = extension === 'svg' ? await isSvg(file.path) : await isPicture(file)
  if (!isValid) throw invalid({ [image]: 'is not an image of the type in its name' })
}

/** Returns true for an SVG file. It may contain scripts, so it is only served with a policy that blocks them. */
async function isSvg(path: string): Promise<boolean> {
  const text = (await readFile(path)).toString('utf8')
  return /^\s*(?:<\?xml[^>]*>\s*|<!--[\s\S]*?-->\s*|<!DOCTYPE svg[^>[]*>\s*)*<svg[\s>]/.test(text)
}

/** Stores a valid image and returns the name for its column. */
export async function storeImage(ctx: Ctx, image: ImageName, file: UploadedFile): Promise<string> {
  const name = cleanFileName(file.filename)
  await moveDurably(file.path, imageFile(ctx.config, image, name))
  return name
}

/** Deletes the files of an image except the current one. */
export async function removeOtherImages(
  ctx: Ctx,
  image: ImageName,
  currentName: string | null,
): Promise<void> {
  const folder = imageFolder(ctx.config, image)
  const names = (await readdir(folder).catch(() => [])).filter((name) => name !== currentName)
  await removalsOf(ctx.config).pass(async () => {
    for (const name of names) await rm(join(folder, name), { force: true })
  })
}

/** The header and footer of every email (spec administration 2). */
export interface MailFrame {
  readonly header: { readonly text: string; readonly html: string }
  readonly footer: { readonly text: string; readonly html: string }
  readonly background: string
  readonly color: string
}

/** Returns the header and footer of emails; null if the instance has none. */
export function mailFrame(ctx: Pick<Ctx, 'db'>): MailFrame | null {
  const row = store.find(ctx.db)
  if (!row || !row.email_header_and_footer_enabled) return null
  if (row.header_message === '' && row.footer_message === '') return null
  return {
    header: { text: row.header_message, html: row.header_message_html },
    footer: { text: row.footer_message, html: row.footer_message_html },
    background: row.message_background_color,
    color: row.message_font_color,
  }
}
