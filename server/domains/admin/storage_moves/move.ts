import { join } from 'node:path'

import type { Ctx } from '../../../ctx.ts'
import type { Repo } from '../../../git/types.ts'
import { storageFolder } from '../../storage/index.ts'
import { wikiDiskPath } from '../../wikis/index.ts'
import type { MoveRequest } from './request.ts'

/** A repository that moves: its present and its new folder, and the folder of the unfinished copy. */
export interface RepositoryMove {
  /** Name in caches and locks; it does not depend on the storage. */
  readonly key: string
  readonly from: Repo
  readonly to: Repo
  /** The unfinished copy, next to the new folder. */
  readonly draft: Repo
  /** A wiki may be missing. */
  readonly isOptional: boolean
}

/** The repositories of a container: a project has its code and its wiki. */
export function movesOf(
  ctx: Pick<Ctx, 'git' | 'config' | 'db'>,
  { kind, disk_path, source, destination }: MoveRequest,
): RepositoryMove[] {
  const keys = kind === 'project' ? [disk_path, wikiDiskPath(disk_path)] : [disk_path]
  const [from, to] = [source, destination].map((name) => storageFolder(ctx, name)) as [string, string]
  return keys.map((key, index) => ({
    key,
    from: fixed(ctx, join(from, key), key),
    to: fixed(ctx, join(to, key), key),
    draft: fixed(ctx, `${join(to, key)}.moving`, key),
    isOptional: index > 0,
  }))
}

/** A handle that keeps its folder when the repository moves. */
function fixed({ git }: Pick<Ctx, 'git'>, gitDir: string, key: string): Repo {
  return { git, gitDir, key }
}
