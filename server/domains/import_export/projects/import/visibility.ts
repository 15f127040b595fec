import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../../../ctx.ts'
import { VISIBILITY_RANK, type Visibility } from '../../../../policy/levels.ts'
import { namespaceById } from '../../../namespaces/index.ts'
import type { Project } from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'

/** Attributes of a project are some thousand characters; what is longer is not read here, on the main thread. */
const MOST_BYTES = 512 * 1024

/**
 * Who may see an imported project: as many as the archive says and its namespace allows; nobody else where that level is restricted
 * (spec administration 6.5). `folder`: the unpacked archive.
 */
export async function visibilityFor(ctx: Ctx, project: Project, folder: string): Promise<Visibility> {
  const said = await levelIn(join(folder, 'tree', 'project.json'))
  const namespace = namespaceById(ctx.db, project.namespace_id)
  const widest = namespace?.kind === 'group' ? VISIBILITY_RANK[namespace.visibility as Visibility] : Infinity
  const level = Math.min(said, widest)
  const names = Object.keys(VISIBILITY_RANK) as Visibility[]
  const wanted = names.find((name) => VISIBILITY_RANK[name] === level) ?? 'private'
  return settingsOf(ctx).restricted_visibility_levels.includes(wanted) ? 'private' : wanted
}

async function levelIn(file: string): Promise<number> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  )
  if (size === 0 || size > MOST_BYTES) return 0
  try {
    const { visibility_level: level } = JSON.parse(await readFile(file, 'utf8')) as {
      visibility_level?: unknown
    }
    return typeof level === 'number' ? level : 0
  } catch {
    return 0
  }
}
