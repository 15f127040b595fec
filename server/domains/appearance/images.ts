import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { dataPaths, type Config } from '../../config.ts'
import type { Ctx } from '../../ctx.ts'
import type { UploadedFile } from '../../http/upload.ts'
import { keepFile } from '../../lib/durable-file.ts'
import { invalid } from '../../lib/fail.ts'
import { removalsOf } from '../../lib/gate.ts'
import { cleanFileName, endingOf, isPicture } from '../storage/index.ts'

/** The pictures of the instance, as columns, parameters and addresses name them. */
export const IMAGES = ['logo', 'header_logo', 'favicon', 'pwa_icon'] as const
export type ImageName = (typeof IMAGES)[number]

/** Largest picture, bytes (spec administration 2). */
const MAX_BYTES = 1024 * 1024
const ANY = ['png', 'jpg', 'jpeg', 'gif', 'bmp', 'tiff', 'ico', 'webp', 'svg']
const ENDINGS: Readonly<Record<ImageName, readonly string[]>> = {
  logo: ANY,
  header_logo: ANY,
  favicon: ['ico', 'png'],
  pwa_icon: ['png'],
}

/** Where a picture lies. */
export function imageFile(config: Config, image: ImageName, name: string): string {
  return join(imageFolder(config, image), cleanFileName(name))
}

function imageFolder(config: Config, image: ImageName): string {
  return join(dataPaths(config.dataDir).uploads, '-', 'system', 'appearance', image, '1')
}

/** Refuses what cannot be shown, before anything is written. Throws 400 under the name of the picture. */
export async function checkImage(image: ImageName, file: UploadedFile): Promise<void> {
  if (file.size > MAX_BYTES) throw invalid({ [image]: 'is too big (should be at most 1 MB)' })
  const ending = endingOf(file)
  const allowed = ENDINGS[image]
  if (!allowed.includes(ending)) {
    const text = `You are not allowed to upload ${JSON.stringify(ending)} files, allowed types: ${allowed.join(', ')}`
    throw invalid({ [image]: text })
  }
  const isFine = ending === 'svg' ? await isDrawing(file.path) : await isPicture(file)
  if (!isFine) throw invalid({ [image]: 'is not a picture of the kind that its name says' })
}

/** SVG is text; it is only ever sent under a policy that lets it do nothing. */
async function isDrawing(path: string): Promise<boolean> {
  const text = (await readFile(path)).toString('utf8')
  return /^\s*(?:<\?xml[^>]*>\s*|<!--[\s\S]*?-->\s*|<!DOCTYPE svg[^>[]*>\s*)*<svg[\s>]/.test(text)
}

/** Puts an accepted picture at its place; returns the name for its column. */
export async function keepImage(ctx: Ctx, image: ImageName, file: UploadedFile): Promise<string> {
  const name = cleanFileName(file.filename)
  await keepFile(file.path, imageFile(ctx.config, image, name))
  return name
}

/** Removes the pictures of a kind, but for one. */
export async function dropOthers(ctx: Ctx, image: ImageName, kept: string | null): Promise<void> {
  const folder = imageFolder(ctx.config, image)
  const names = (await readdir(folder).catch(() => [])).filter((name) => name !== kept)
  await removalsOf(ctx.config).pass(async () => {
    for (const name of names) await rm(join(folder, name), { force: true })
  })
}
