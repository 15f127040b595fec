import { join } from 'node:path'

import type { Ctx } from '../../../ctx.ts'
import type { Repo } from '../../../git/types.ts'
import { storageFolder } from '../../storage/index.ts'
import { wikiDiskPath } from '../../wikis/index.ts'
import type { MoveRequest } from './request.ts'

/** A repository that moves: where it lies, where it is to lie, and where it is put together. */
export interface RepositoryMove {
  /** Name in caches and locks; the same in every storage. */
  readonly key: string
  readonly from: Repo
  readonly to: Repo
  /** The copy while it is not complete, beside its later place. */
  readonly draft: Repo
  /** A wiki need not be there. */
  readonly isOptional: boolean
}

/** The repositories of a container: of a project the code, and the wiki beside it. */
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

/** A handle that stays where it is, wherever the repository goes. */
function fixed({ git }: Pick<Ctx, 'git'>, gitDir: string, key: string): Repo {
  return { git, gitDir, key }
}
