import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { dataPaths, type Config } from '../../../config.ts'
import { removalsOf } from '../../../lib/gate.ts'

/** The kinds of owners that can have a picture. */
export type AvatarKind = 'user' | 'group' | 'project' | 'topic'

/** The path of an owner's picture; the file's name is part of its URL. */
export function avatarFile(config: Config, kind: AvatarKind, id: number, name: string): string {
  return join(avatarFolder(config, kind, id), cleanFileName(name))
}

/** The folder of an owner's pictures. */
export function avatarFolder(config: Config, kind: AvatarKind, id: number): string {
  return join(dataPaths(config.dataDir).uploads, '-', 'system', kind, 'avatar', String(id))
}

/**
 * Returns a file name that is safe in a folder, a URL and a header on every system: the last segment of a path, only
 * letters, digits, dot, dash and underscore, no leading dot, at most 60 characters and a suffix.
 */
export function cleanFileName(name: string): string {
  const safeName = basename(name.replaceAll('\\', '/'))
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^[.]+/, '')
  const suffix = /\.[A-Za-z0-9]{1,10}$/.exec(safeName)?.[0] ?? ''
  const stem = safeName.slice(0, safeName.length - suffix.length).slice(0, 60)
  return stem + suffix || 'file'
}

/** An owner of a picture. */
export interface AvatarOwner {
  readonly kind: AvatarKind
  readonly id: number
}

/** Removes all pictures of an owner except the one named `name`. */
export async function removeOtherAvatars(
  config: Config,
  { kind, id }: AvatarOwner,
  name: string | null,
): Promise<void> {
  const folder = avatarFolder(config, kind, id)
  await removalsOf(config).pass(async () => {
    for (const other of (await readdir(folder).catch(() => [])).filter((entry) => entry !== name))
      await rm(join(folder, other), { force: true, recursive: true })
  })
}
