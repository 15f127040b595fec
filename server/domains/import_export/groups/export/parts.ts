import { existsSync } from 'node:fs'
import { join } from 'node:path'

import type { Ctx } from '../../../../ctx.ts'
import { createBundle } from '../../../../git/bundle.ts'
import type { Group } from '../../../groups/index.ts'
import { avatarFile } from '../../../storage/index.ts'
import { wikiRepository } from '../../../wikis/index.ts'

/** A file of an archive and where it lies. */
interface Part {
  readonly name: string
  readonly file: string
}

/** The pictures of some groups, in a folder for each. */
export function avatarsOf(ctx: Ctx, groups: readonly Group[]): Part[] {
  return groups.flatMap(({ id, avatar }) => {
    if (avatar === null) return []
    const file = avatarFile(ctx.config, 'group', id, avatar)
    return existsSync(file) ? [{ name: `avatar/${id}/${avatar}`, file }] : []
  })
}

/** Writes the wikis of some groups into bundles; one without a page has none (spec administration 6.8). */
export async function wikiBundles(
  ctx: Ctx,
  groups: readonly Group[],
  folder: string,
  signal: AbortSignal,
): Promise<Part[]> {
  const parts: Part[] = []
  for (const group of groups) {
    const found = wikiRepository(ctx, { group })
    if (!found) continue
    const file = join(folder, `${group.id}.wiki.bundle`)
    const name = `repositories/${group.id}.wiki.bundle`
    if (await createBundle(found.repo, file, { signal })) parts.push({ name, file })
  }
  return parts
}
