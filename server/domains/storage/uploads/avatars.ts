import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../../ctx.ts'
import { moveDurably } from '../../../lib/files/durable-file.ts'
import { invalid } from '../../../lib/fail.ts'
import { enqueue, withdraw } from '../../../jobs/job.ts'
import { removalsOf } from '../../../lib/gate.ts'
import { TIDY_DELAY_MS, tidyAvatars } from '../jobs.ts'
import { avatarFile, avatarFolder, cleanFileName, type AvatarKind } from './files.ts'

export type { AvatarKind } from './files.ts'

/** The maximum size of a picture in bytes (spec core 1.5). */
const MAX_BYTES = 200 * 1024

/** The allowed suffixes, each with the first bytes of such a file. */
const SIGNATURES: Readonly<Record<string, readonly (readonly number[])[]>> = {
  png: [[0x89, 0x50, 0x4e, 0x47]],
  jpg: [[0xff, 0xd8, 0xff]],
  jpeg: [[0xff, 0xd8, 0xff]],
  gif: [[0x47, 0x49, 0x46, 0x38]],
  bmp: [[0x42, 0x4d]],
  tiff: [
    [0x49, 0x49, 0x2a, 0x00],
    [0x4d, 0x4d, 0x00, 0x2a],
  ],
  ico: [[0x00, 0x00, 0x01, 0x00]],
  webp: [[0x52, 0x49, 0x46, 0x46]],
}

const FORMATS =
  'image/png, image/jpeg, image/gif, image/bmp, image/tiff, image/vnd.microsoft.icon, image/webp'

/** An uploaded picture, in the temporary folder. */
export interface AvatarFile {
  readonly filename: string
  readonly path: string
  /** Bytes. */
  readonly size: number
}

/**
 * Checks and stores a picture, or removes the current one if `file` is null. `record` writes the name into the owner's
 * `avatar` column. The previous picture is removed after that, so that the row always names an existing file. Throws 400
 * `{avatar: […]}` for a picture that is too big or has an unknown format.
 */
export async function replaceAvatar<T>(
  ctx: Ctx,
  kind: AvatarKind,
  id: number,
  file: AvatarFile | null,
  record: (avatar: string | null) => T,
): Promise<T> {
  const folder = avatarFolder(ctx.config, kind, id)
  const before = await readdir(folder).catch(() => [])
  enqueue(ctx, tidyAvatars, { kind, id }, { delay: TIDY_DELAY_MS })
  const name = file ? await saveAvatar(ctx, kind, id, file) : null
  const result = record(name)
  await removalsOf(ctx.config).pass(async () => {
    for (const other of before.filter((entry) => entry !== name))
      await rm(join(folder, other), { force: true, recursive: true })
  })
  withdraw(ctx, tidyAvatars, { kind, id })
  return result
}

/** Checks a picture and stores it without removing the current one. Returns the name for the owner's `avatar` column. */
async function saveAvatar(
  ctx: Pick<Ctx, 'config'>,
  kind: AvatarKind,
  id: number,
  file: AvatarFile,
): Promise<string> {
  await checkAvatar(file)
  const name = cleanFileName(file.filename)
  await moveDurably(file.path, avatarFile(ctx.config, kind, id, name))
  return name
}

/** Throws 400 `{avatar: […]}` if a file is too big or is not a picture. */
export async function checkAvatar(file: AvatarFile): Promise<void> {
  if (file.size > MAX_BYTES) throw invalid({ avatar: 'is too big (should be at most 200 KiB)' })
  if (!(await isPicture(file))) {
    throw invalid({
      avatar: `file format is not supported. Please try one of the following supported formats: ${FORMATS}`,
    })
  }
}

/** Whether the first bytes of a file match its suffix. */
export async function isPicture(file: AvatarFile): Promise<boolean> {
  const signatures = SIGNATURES[suffixOf(file)]
  if (!signatures) return false
  const start = await firstBytes(file.path)
  return signatures.some((bytes) => bytes.every((byte, index) => start[index] === byte))
}

/** The suffix of a file name in lower case, without the dot. */
export function suffixOf(file: AvatarFile): string {
  return /\.([a-z]+)$/i.exec(cleanFileName(file.filename))?.[1]?.toLowerCase() ?? ''
}

async function firstBytes(path: string): Promise<Buffer> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(8), 0, 8, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Removes the pictures of an owner. */
export async function removeAvatar(ctx: Pick<Ctx, 'config'>, kind: AvatarKind, id: number): Promise<void> {
  const folder = avatarFolder(ctx.config, kind, id)
  await removalsOf(ctx.config).pass(() => rm(folder, { recursive: true, force: true }))
}
